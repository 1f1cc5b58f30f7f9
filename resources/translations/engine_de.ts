<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
  <context>
    <name>joinery</name>
    <message>
      <source>'config.json' has architectures that are not a list of class names; get it again.</source>
      <translation>„config.json“ hat architectures, die keine Liste von Klassennamen sind; sie erneut holen.</translation>
    </message>
    <message>
      <source>'config.json' has no model_type, so the model's architecture is unknown; get the checkpoint again, or one that transformers saved.</source>
      <translation>„config.json“ hat keinen model_type, also ist die Architektur des Modells unbekannt; den Checkpoint erneut holen, oder einen, den transformers gespeichert hat.</translation>
    </message>
    <message>
      <source>'{0}' cannot be read ({1}); check its permissions.</source>
      <translation>„{0}“ kann nicht gelesen werden ({1}); die Rechte prüfen.</translation>
    </message>
    <message>
      <source>'{0}' has an auto_map that is not an object; get the checkpoint again.</source>
      <translation>„{0}“ hat eine auto_map, die kein Objekt ist; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' has ids that are not integers from 0 up, so it is damaged; get it again.</source>
      <translation>„{0}“ hat IDs, die keine ganzen Zahlen ab 0 sind, ist also beschädigt; sie erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' has no weight_map, so the checkpoint is damaged; get it again.</source>
      <translation>„{0}“ hat keine weight_map, also ist der Checkpoint beschädigt; ihn erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' holds no vocabulary, so the tokenizer is damaged; get it again.</source>
      <translation>„{0}“ enthält kein Vokabular, also ist der Tokenizer beschädigt; ihn erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' imports '{1}', which is missing; get the checkpoint again.</source>
      <translation>„{0}“ importiert „{1}“, das fehlt; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' imports from outside the checkpoint's folder, which is refused.</source>
      <translation>„{0}“ importiert von außerhalb des Ordners des Checkpoints, was abgelehnt wird.</translation>
    </message>
    <message>
      <source>'{0}' is a link that leaves the checkpoint's folder, which is refused; put a copy of the file in its place.</source>
      <translation>„{0}“ ist ein Verweis aus dem Ordner des Checkpoints hinaus, was abgelehnt wird; an seine Stelle eine Kopie der Datei setzen.</translation>
    </message>
    <message>
      <source>'{0}' is a link that leaves the checkpoint's folder, which is refused; put a copy of the folder in its place.</source>
      <translation>„{0}“ ist ein Verweis aus dem Ordner des Checkpoints hinaus, was abgelehnt wird; an seine Stelle eine Kopie des Ordners setzen.</translation>
    </message>
    <message>
      <source>'{0}' is damaged: {1}; copy or download it again.</source>
      <translation>„{0}“ ist beschädigt: {1}; erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>'{0}' is larger than {1} MiB, which no such file should be; get the checkpoint again from a source that you trust.</source>
      <translation>„{0}“ ist größer als {1} MiB, was keine solche Datei sein sollte; den Checkpoint von einer vertrauenswürdigen Quelle erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' is missing from {1}, or cannot be reached.</source>
      <translation>„{0}“ fehlt in {1} oder ist nicht erreichbar.</translation>
    </message>
    <message>
      <source>'{0}' is no longer a regular file, so the checkpoint is refused.</source>
      <translation>„{0}“ ist keine gewöhnliche Datei mehr, also wird der Checkpoint abgelehnt.</translation>
    </message>
    <message>
      <source>'{0}' is not a JSON object, so the checkpoint is damaged; get it again.</source>
      <translation>„{0}“ ist kein JSON-Objekt, also ist der Checkpoint beschädigt; ihn erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' is not a revision; give a branch, a tag or a commit's hash.</source>
      <translation>„{0}“ ist keine Revision; einen Zweig, ein Tag oder den Hash eines Commits angeben.</translation>
    </message>
    <message>
      <source>'{0}' is of an unknown kind, so it cannot be used; get the checkpoint again.</source>
      <translation>„{0}“ ist von unbekannter Art und kann nicht verwendet werden; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' is {1} where a file should be, so the checkpoint is refused.</source>
      <translation>„{0}“ ist {1}, wo eine Datei sein sollte, also wird der Checkpoint abgelehnt.</translation>
    </message>
    <message>
      <source>'{0}' lacks the tensor '{1}'{2}, which the index says it holds; download the checkpoint again.</source>
      <translation>In „{0}“ fehlt der Tensor „{1}“{2}, den sie nach dem Index enthält; den Checkpoint erneut herunterladen.</translation>
    </message>
    <message>
      <source>'{0}' names '{1}', which is not a {2} file inside the folder; get the checkpoint again from a source that you trust.</source>
      <translation>„{0}“ nennt „{1}“, was keine {2}-Datei im Ordner ist; den Checkpoint von einer vertrauenswürdigen Quelle erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' names more than {1} files, so the checkpoint is refused.</source>
      <translation>„{0}“ nennt mehr als {1} Dateien, also wird der Checkpoint abgelehnt.</translation>
    </message>
    <message>
      <source>'{0}' names the code '{1}', which is not of the form module.Class; the checkpoint is refused.</source>
      <translation>„{0}“ nennt den Code „{1}“, der nicht die Form modul.Klasse hat; der Checkpoint wird abgelehnt.</translation>
    </message>
    <message>
      <source>'{0}' of {1} is larger than {2} MiB.</source>
      <translation>„{0}“ von {1} ist größer als {2} MiB.</translation>
    </message>
    <message>
      <source>'{0}' sets {1} to '{2}', which would load something from outside the checkpoint's own files; remove that line if you trust the rest.</source>
      <translation>„{0}“ setzt {1} auf „{2}“, was etwas von außerhalb der Dateien des Checkpoints laden würde; diese Zeile entfernen, wenn dem Rest zu trauen ist.</translation>
    </message>
    <message>
      <source>'{0}' wants to run '{1}', the code of another repository, which is refused; copy that code into the checkpoint's folder and name it there.</source>
      <translation>„{0}“ will „{1}“ ausführen, den Code eines anderen Repositorys, was abgelehnt wird; diesen Code in den Ordner des Checkpoints kopieren und dort nennen.</translation>
    </message>
    <message>
      <source>'{0}' {1}, so the checkpoint is damaged; copy or download it again.</source>
      <translation>„{0}“ {1}, also ist der Checkpoint beschädigt; ihn erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>, so that no reply ends by itself.</source>
      <translation>, sodass keine Antwort von selbst endet.</translation>
    </message>
    <message>
      <source>16 bits with the range of 32 and fewer digits.</source>
      <translation>16 Bit mit dem Bereich von 32 und weniger Stellen.</translation>
    </message>
    <message>
      <source>2 (bilinear) or 3 (bicubic)</source>
      <translation>2 (bilinear) oder 3 (bikubisch)</translation>
    </message>
    <message>
      <source>4-bit weights</source>
      <translation>4-Bit-Gewichte</translation>
    </message>
    <message>
      <source>8-bit products</source>
      <translation>8-Bit-Produkte</translation>
    </message>
    <message>
      <source>8-bit weights</source>
      <translation>8-Bit-Gewichte</translation>
    </message>
    <message>
      <source>8-bit weights and activations</source>
      <translation>8-Bit-Gewichte und -Aktivierungen</translation>
    </message>
    <message>
      <source>8-bit weights, 16-bit activations</source>
      <translation>8-Bit-Gewichte, 16-Bit-Aktivierungen</translation>
    </message>
    <message>
      <source>8-bit weights, activations quantized as they come</source>
      <translation>8-Bit-Gewichte, Aktivierungen laufend quantisiert</translation>
    </message>
    <message>
      <source>; build {0}</source>
      <translation>; {0} bauen</translation>
    </message>
    <message>
      <source>A cache in int8</source>
      <translation>Ein Cache in int8</translation>
    </message>
    <message>
      <source>A cache in int8 goes with {0}, and not with {1}.</source>
      <translation>Ein Cache in int8 passt zu {0} und nicht zu {1}.</translation>
    </message>
    <message>
      <source>A cache in int8 is calibrated with text, and this model reads pictures or sound: leave kv_dtype out.</source>
      <translation>Ein Cache in int8 wird mit Text kalibriert, und dieses Modell liest Bilder oder Ton: kv_dtype weglassen.</translation>
    </message>
    <message>
      <source>A cache in int8 needs opset {0}, which brought TensorScatter, not {1}.</source>
      <translation>Ein Cache in int8 braucht Opset {0}, der TensorScatter brachte, nicht {1}.</translation>
    </message>
    <message>
      <source>A cache in {0} needs --cache gqa: {1} has the model's own dtype.</source>
      <translation>Ein Cache in {0} braucht --cache gqa: {1} hat den Datentyp des Modells.</translation>
    </message>
    <message>
      <source>A cache in {0} needs the gqa layout, which is not right for this model: {1}; leave kv_dtype out.</source>
      <translation>Ein Cache in {0} braucht das Layout gqa, das für dieses Modell nicht richtig ist: {1}; kv_dtype weglassen.</translation>
    </message>
    <message>
      <source>A capacity of {0} is beyond the {1} positions that the model was made for: build with --capacity {2} or less.</source>
      <translation>Eine Kapazität von {0} übersteigt die {1} Positionen, für die das Modell gemacht ist: mit --capacity {2} oder weniger bauen.</translation>
    </message>
    <message>
      <source>A capacity of {0} is beyond the {1} tokens among which this model attends to all (index_topk in config.json), and its index is not built: build with --capacity {2}.</source>
      <translation>Eine Kapazität von {0} liegt über den {1} Tokens, unter denen dieses Modell alle beachtet (index_topk in config.json), und sein Index wird nicht gebaut: mit --capacity {2} bauen.</translation>
    </message>
    <message>
      <source>A has {0} tokens in its vocabulary and B {1}: only bundles with one vocabulary can be compared.</source>
      <translation>A hat {0} Tokens im Vokabular und B {1}: nur Bundles mit einem Vokabular lassen sich vergleichen.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels is smaller than its mirrored border: give a larger one.</source>
      <translation>Ein Bild von {0} × {1} Pixeln ist kleiner als sein gespiegelter Rand: ein größeres angeben.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels is too small or too narrow for the model, which takes multiples of {2}: give a larger one.</source>
      <translation>Ein Bild von {0} × {1} Pixeln ist zu klein oder zu schmal für das Modell, das Vielfache von {2} nimmt: ein größeres angeben.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels would be scaled to nothing: give one that is less narrow.</source>
      <translation>Ein Bild von {0} × {1} Pixeln würde auf nichts verkleinert: ein weniger schmales angeben.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels would be scaled to {2} × {3}, which is more than {4} pixels: cut it to a less narrow one.</source>
      <translation>Ein Bild von {0} × {1} Pixeln würde auf {2} × {3} gebracht, was mehr als {4} Pixel sind: es weniger schmal zuschneiden.</translation>
    </message>
    <message>
      <source>A report is on runs or on a bundle: name one of the two.</source>
      <translation>Ein Bericht ist über Läufe oder über ein Bundle: eines von beiden nennen.</translation>
    </message>
    <message>
      <source>A source_length of {0} is beyond the {1} positions that the model's encoder has.</source>
      <translation>Eine source_length von {0} übersteigt die {1} Positionen des Encoders.</translation>
    </message>
    <message>
      <source>A sweep cannot have {0} workers: give 1 to 256.</source>
      <translation>Ein Sweep kann nicht {0} Worker haben: 1 bis 256 angeben.</translation>
    </message>
    <message>
      <source>A tied head without a transposed copy</source>
      <translation>Ein gekoppelter Kopf ohne transponierte Kopie</translation>
    </message>
    <message>
      <source>A transcript has no prompt: send the 'sound' alone.</source>
      <translation>Ein Transkript hat keine Eingabe: allein „sound“ senden.</translation>
    </message>
    <message>
      <source>All {0} positions of the model are used: start a new text.</source>
      <translation>Alle {0} Positionen des Modells sind belegt: einen neuen Text beginnen.</translation>
    </message>
    <message>
      <source>Another sweep runs in {0} ({1}): wait for it, or stop it.</source>
      <translation>In {0} läuft schon ein Sweep ({1}): darauf warten oder ihn anhalten.</translation>
    </message>
    <message>
      <source>As exported</source>
      <translation>Wie exportiert</translation>
    </message>
    <message>
      <source>As the checkpoint stores them</source>
      <translation>Wie der Checkpoint sie speichert</translation>
    </message>
    <message>
      <source>Attention over past and new rows without joining them</source>
      <translation>Attention über alte und neue Zeilen, ohne sie zu verbinden</translation>
    </message>
    <message>
      <source>Brain floats</source>
      <translation>Brain Floats</translation>
    </message>
    <message>
      <source>Brain floats: 16 bits with the range of 32</source>
      <translation>Brain Floats: 16 Bit mit dem Bereich von 32</translation>
    </message>
    <message>
      <source>Calibrated on real activations.</source>
      <translation>An echten Aktivierungen kalibriert.</translation>
    </message>
    <message>
      <source>Calibrated on real activations; for NPUs.</source>
      <translation>An echten Aktivierungen kalibriert; für NPUs.</translation>
    </message>
    <message>
      <source>Cancelled while the checkpoint was being read.</source>
      <translation>Abgebrochen, während der Checkpoint gelesen wurde.</translation>
    </message>
    <message>
      <source>Cancelled; the received part is kept, and the next download continues from there.</source>
      <translation>Abgebrochen; der empfangene Teil bleibt, und der nächste Download setzt dort fort.</translation>
    </message>
    <message>
      <source>Compute constants once</source>
      <translation>Konstanten einmal berechnen</translation>
    </message>
    <message>
      <source>Compute what is the same once</source>
      <translation>Gleiches einmal berechnen</translation>
    </message>
    <message>
      <source>Convolutions with state in ONNX's own operators</source>
      <translation>Faltungen mit Zustand in ONNX-eigenen Operatoren</translation>
    </message>
    <message>
      <source>Depths are written as .png or .npy, and not as {0}: name such a file.</source>
      <translation>Tiefen werden als .png oder .npy geschrieben, nicht als {0}: eine solche Datei nennen.</translation>
    </message>
    <message>
      <source>DirectML has every operator in half precision too.</source>
      <translation>DirectML hat jeden Operator auch in halber Genauigkeit.</translation>
    </message>
    <message>
      <source>DirectML is several times slower with dynamic shapes, so there is a graph for prompt chunks and one for tokens, with fixed shapes.</source>
      <translation>DirectML ist mit dynamischen Formen mehrfach langsamer, also gibt es einen Graphen für Abschnitte der Eingabe und einen für Tokens, mit festen Formen.</translation>
    </message>
    <message>
      <source>DirectML is several times slower with the dynamic shapes of a single graph.</source>
      <translation>DirectML ist mit den dynamischen Formen eines einzigen Graphen mehrfach langsamer.</translation>
    </message>
    <message>
      <source>DirectML's GroupQueryAttention is wrong beyond a prompt's first chunk: the host writes the cache.</source>
      <translation>GroupQueryAttention von DirectML ist hinter dem ersten Abschnitt einer Eingabe falsch: der Host schreibt den Cache.</translation>
    </message>
    <message>
      <source>DirectML's MatMulNBits takes no bias, which is added separately.</source>
      <translation>MatMulNBits von DirectML nimmt keinen Bias an, der getrennt addiert wird.</translation>
    </message>
    <message>
      <source>DirectML's kernels end at opset 21: graphs use that opset, with attention and rotary positions in primitive operators, and norms and Gelu in onnxruntime's own operators, for which it has kernels.</source>
      <translation>Die Kernel von DirectML enden mit Opset 21: Graphen verwenden diesen Opset, mit Attention und Drehpositionen in Grundoperatoren, und mit Normen und Gelu in eigenen Operatoren von onnxruntime, für die es Kernel hat.</translation>
    </message>
    <message>
      <source>EfficientNetImageProcessor has include_top without do_normalize: set do_normalize, too.</source>
      <translation>EfficientNetImageProcessor hat include_top ohne do_normalize: auch do_normalize setzen.</translation>
    </message>
    <message>
      <source>Embeddings and head of a transformer-only model serve chunks and tokens, so they run on the CPU.</source>
      <translation>Embeddings und Kopf eines Modells mit eigenem Transformer dienen Abschnitten und Tokens, also laufen sie auf der CPU.</translation>
    </message>
    <message>
      <source>Every weight as it is.</source>
      <translation>Jedes Gewicht, wie es ist.</translation>
    </message>
    <message>
      <source>Finite masks instead of −inf</source>
      <translation>Endliche Masken statt −inf</translation>
    </message>
    <message>
      <source>Gelu as one node</source>
      <translation>Gelu als ein Knoten</translation>
    </message>
    <message>
      <source>Gelu as onnxruntime's own operator</source>
      <translation>Gelu als eigener Operator von onnxruntime</translation>
    </message>
    <message>
      <source>GroupQueryAttention is causal, and the places of a picture attend to each other in both directions</source>
      <translation>GroupQueryAttention ist kausal, und die Stellen eines Bildes sehen einander in beide Richtungen</translation>
    </message>
    <message>
      <source>GroupQueryAttention is causal, and the tokens of a prompt attend to each other in both directions</source>
      <translation>GroupQueryAttention ist kausal, und die Tokens einer Eingabe sehen einander in beide Richtungen</translation>
    </message>
    <message>
      <source>GroupQueryAttention takes no position bias</source>
      <translation>GroupQueryAttention nimmt keinen Positions-Bias an</translation>
    </message>
    <message>
      <source>Half precision</source>
      <translation>Halbe Genauigkeit</translation>
    </message>
    <message>
      <source>Half precision: weights, activations and cache</source>
      <translation>Halbe Genauigkeit: Gewichte, Aktivierungen und Cache</translation>
    </message>
    <message>
      <source>Install it: pip install {0}.</source>
      <translation>Installieren: pip install {0}.</translation>
    </message>
    <message>
      <source>Install the GPU's Vulkan driver, or set {0}=1 to let the processor stand for one.</source>
      <translation>Den Vulkan-Treiber der GPU installieren, oder {0}=1 setzen, damit der Prozessor dafür einspringt.</translation>
    </message>
    <message>
      <source>It comes with {0}.</source>
      <translation>Es kommt mit {0}.</translation>
    </message>
    <message>
      <source>Keep fp32</source>
      <translation>fp32 behalten</translation>
    </message>
    <message>
      <source>LayerNorms of 16 rows with the mean subtracted first</source>
      <translation>LayerNorms von 16 Zeilen mit zuerst abgezogenem Mittelwert</translation>
    </message>
    <message>
      <source>Linear attention in ONNX's own operators</source>
      <translation>Lineare Attention in ONNX-eigenen Operatoren</translation>
    </message>
    <message>
      <source>Logits of selected rows</source>
      <translation>Logits ausgewählter Zeilen</translation>
    </message>
    <message>
      <source>Logits of the last token alone</source>
      <translation>Nur die Logits des letzten Tokens</translation>
    </message>
    <message>
      <source>Masks of numbers for attention</source>
      <translation>Masken aus Zahlen für die Attention</translation>
    </message>
    <message>
      <source>MatMul and bias as Gemm</source>
      <translation>MatMul und Bias als Gemm</translation>
    </message>
    <message>
      <source>Memory ran out: close other programs, or {0}.</source>
      <translation>Der Speicher ist voll: andere Programme schließen oder {0}.</translation>
    </message>
    <message>
      <source>No bundle is open: open one first.</source>
      <translation>Kein Bundle ist offen: zuerst eines öffnen.</translation>
    </message>
    <message>
      <source>No cache layout is called {0}: choose one of {1}.</source>
      <translation>Kein Cache-Layout heißt {0}: eines von {1} wählen.</translation>
    </message>
    <message>
      <source>No checkpoint was named; give a folder, demo:NAME, or a model's name on the hub.</source>
      <translation>Kein Checkpoint wurde genannt; einen Ordner, demo:NAME oder den Namen eines Modells auf dem Hub angeben.</translation>
    </message>
    <message>
      <source>No module named {0}</source>
      <translation>Kein Modul namens {0}</translation>
    </message>
    <message>
      <source>No optimizer pass is called {0}: {1} has {2}.</source>
      <translation>Kein Optimierungsdurchgang heißt {0}: {1} hat {2}.</translation>
    </message>
    <message>
      <source>No provider is called {0}: choose one of {1}; `joinery devices` tells more.</source>
      <translation>Kein Provider heißt {0}: einen von {1} wählen; `joinery devices` sagt mehr.</translation>
    </message>
    <message>
      <source>No recipe has a setting {0}: the settings are {1}.</source>
      <translation>Kein Rezept hat eine Einstellung {0}: die Einstellungen sind {1}.</translation>
    </message>
    <message>
      <source>Norms over heads on three axes</source>
      <translation>Normen über Köpfe auf drei Achsen</translation>
    </message>
    <message>
      <source>One MatMul for gate and up</source>
      <translation>Ein MatMul für Gate und Up</translation>
    </message>
    <message>
      <source>One MatMul for query, key and value</source>
      <translation>Ein MatMul für Query, Key und Value</translation>
    </message>
    <message>
      <source>One of the two bundles has an encoder and the other none: they cannot be compared.</source>
      <translation>Eines der beiden Bundles hat einen Encoder und das andere keinen: sie lassen sich nicht vergleichen.</translation>
    </message>
    <message>
      <source>OpenVINO compiles each shape separately, and for NPUs fixed ones only: there is a graph for prompt chunks and one for tokens.</source>
      <translation>OpenVINO übersetzt jede Form getrennt, und für NPUs nur feste: es gibt einen Graphen für Abschnitte der Eingabe und einen für Tokens.</translation>
    </message>
    <message>
      <source>OpenVINO lacks the fused attention and rotary positions of opset 23: graphs use primitive operators of opset 21, with onnxruntime's own norms, which it supports.</source>
      <translation>OpenVINO fehlen die zusammengefasste Attention und die Drehpositionen von Opset 23: Graphen verwenden Grundoperatoren von Opset 21, mit den eigenen Normen von onnxruntime, die es unterstützt.</translation>
    </message>
    <message>
      <source>OpenVINO takes it as it is.</source>
      <translation>OpenVINO nimmt es, wie es ist.</translation>
    </message>
    <message>
      <source>Pictures cannot be prepared by settings {0}: there are {1}.</source>
      <translation>Bilder können mit Einstellungen {0} nicht vorbereitet werden: es gibt {1}.</translation>
    </message>
    <message>
      <source>Prompt {0} has {1} tokens and the smaller cache of the two bundles holds {2}: shorten it.</source>
      <translation>Eingabe {0} hat {1} Tokens, und der kleinere Cache der beiden Bundles hält {2}: sie kürzen.</translation>
    </message>
    <message>
      <source>Prompts go token by token, for chunks as wide as the graph's are wrong on this adapter.</source>
      <translation>Eingaben laufen Token für Token, denn Abschnitte von der Breite des Graphen sind auf diesem Adapter falsch.</translation>
    </message>
    <message>
      <source>QNN computes 16-bit 4-D activations wrongly with more than one column: heads stay in floating point.</source>
      <translation>QNN rechnet 4-D-Aktivierungen in 16 Bit mit mehr als einer Spalte falsch: Köpfe bleiben in Gleitkomma.</translation>
    </message>
    <message>
      <source>QNN computes 4-D norms wrongly with more than one column: norms over heads are 3-D.</source>
      <translation>QNN rechnet 4-D-Normen mit mehr als einer Spalte falsch: Normen über Köpfe sind 3-D.</translation>
    </message>
    <message>
      <source>QNN computes LayerNormalization of exactly 16 rows wrongly: the mean is subtracted before the norm.</source>
      <translation>QNN rechnet LayerNormalization von genau 16 Zeilen falsch: der Mittelwert wird vor der Norm abgezogen.</translation>
    </message>
    <message>
      <source>QNN computes angles in half precision: rotary angles come from tables.</source>
      <translation>QNN rechnet Winkel in halber Genauigkeit: Drehwinkel kommen aus Tabellen.</translation>
    </message>
    <message>
      <source>QNN computes float32 in half precision.</source>
      <translation>QNN rechnet float32 in halber Genauigkeit.</translation>
    </message>
    <message>
      <source>QNN computes in half precision anyway.</source>
      <translation>QNN rechnet ohnehin in halber Genauigkeit.</translation>
    </message>
    <message>
      <source>QNN computes in integers throughout.</source>
      <translation>QNN rechnet durchgehend in Ganzzahlen.</translation>
    </message>
    <message>
      <source>QNN runs GroupQueryAttention, at more nodes than plain attention (the demo's: 103 instead of 91); which is faster on a device was not measured.</source>
      <translation>QNN führt GroupQueryAttention aus, mit mehr Knoten als einfache Attention (bei der Demo 103 statt 91); was auf einem Gerät schneller ist, wurde nicht gemessen.</translation>
    </message>
    <message>
      <source>QNN supports float masks only, and of onnxruntime's own operators not the fused norms.</source>
      <translation>QNN unterstützt nur Gleitkomma-Masken, und von den eigenen Operatoren von onnxruntime nicht die zusammengefassten Normen.</translation>
    </message>
    <message>
      <source>QNN takes fixed shapes only, so there is a graph for prompt chunks and one for tokens.</source>
      <translation>QNN nimmt nur feste Formen an, also gibt es einen Graphen für Abschnitte der Eingabe und einen für Tokens.</translation>
    </message>
    <message>
      <source>QNN's 8-bit activations are coarse: the demo's logits are 7 % off, and 0.2 % with w8a16.</source>
      <translation>Die 8-Bit-Aktivierungen von QNN sind grob: die Logits der Demo weichen um 7 % ab, mit w8a16 um 0,2 %.</translation>
    </message>
    <message>
      <source>Qualcomm QNN simulator</source>
      <translation>Simulator von Qualcomm QNN</translation>
    </message>
    <message>
      <source>Query, key and value heads turned in one go</source>
      <translation>Köpfe von Query, Key und Value in einem Zug gedreht</translation>
    </message>
    <message>
      <source>RMS norm as one node</source>
      <translation>RMS-Norm als ein Knoten</translation>
    </message>
    <message>
      <source>Reference: Joinery's own fp32 build of {0}, since {1}.</source>
      <translation>Referenz: Joinerys eigener fp32-Bau von {0}, denn {1}.</translation>
    </message>
    <message>
      <source>Reference: {0} in transformers, with eager attention in float32.</source>
      <translation>Referenz: {0} in transformers, mit Eager-Attention in float32.</translation>
    </message>
    <message>
      <source>Reinstall it: pip install --force-reinstall {0}.</source>
      <translation>Neu installieren: pip install --force-reinstall {0}.</translation>
    </message>
    <message>
      <source>Remove NaN guards that finite masks make dead</source>
      <translation>NaN-Wächter entfernen, die endliche Masken überflüssig machen</translation>
    </message>
    <message>
      <source>Remove nodes that nothing reads</source>
      <translation>Knoten entfernen, die nichts liest</translation>
    </message>
    <message>
      <source>Remove stack traces and local paths, keep scope names</source>
      <translation>Stacktraces und lokale Pfade entfernen, Namen der Module behalten</translation>
    </message>
    <message>
      <source>Remove unused operator-set imports</source>
      <translation>Unbenutzte Importe von Operatorsätzen entfernen</translation>
    </message>
    <message>
      <source>Residual sum and norm as one node</source>
      <translation>Residualsumme und Norm als ein Knoten</translation>
    </message>
    <message>
      <source>Rotary angles from tables</source>
      <translation>Drehwinkel aus Tabellen</translation>
    </message>
    <message>
      <source>Rotary positions as one node</source>
      <translation>Drehpositionen als ein Knoten</translation>
    </message>
    <message>
      <source>Rotary positions within GroupQueryAttention</source>
      <translation>Drehpositionen innerhalb von GroupQueryAttention</translation>
    </message>
    <message>
      <source>Shorter chains of Reshape and Transpose</source>
      <translation>Kürzere Ketten von Reshape und Transpose</translation>
    </message>
    <message>
      <source>Sound cannot be converted to {0} Hz: {1} to {2} Hz can be.</source>
      <translation>Ton kann nicht in {0} Hz umgewandelt werden: {1} bis {2} Hz sind möglich.</translation>
    </message>
    <message>
      <source>Text {0} with the query</source>
      <translation>Text {0} mit der Anfrage</translation>
    </message>
    <message>
      <source>The CPU provider</source>
      <translation>Der CPU-Provider</translation>
    </message>
    <message>
      <source>The CPU provider computes in fp32 and converts on the way.</source>
      <translation>Der CPU-Provider rechnet in fp32 und wandelt unterwegs um.</translation>
    </message>
    <message>
      <source>The CPU provider does not run this bundle, so nothing was compared: {0}</source>
      <translation>Der CPU-Provider führt dieses Bundle nicht aus, also wurde nichts verglichen: {0}</translation>
    </message>
    <message>
      <source>The architecture {0} is not one that Joinery can build: its families are {1}.</source>
      <translation>Die Architektur {0} kann Joinery nicht bauen: seine Familien sind {1}.</translation>
    </message>
    <message>
      <source>The build needs about {0} of disk and {1} are free: make room, for it may fail; it can be resumed.</source>
      <translation>Der Bau braucht etwa {0} auf dem Datenträger, und {1} sind frei: Platz schaffen, denn er kann scheitern; er lässt sich fortsetzen.</translation>
    </message>
    <message>
      <source>The build needs about {0} of memory and {1} are free: close other programs, for it may be slow or fail.</source>
      <translation>Der Bau braucht etwa {0} Speicher, und {1} sind frei: andere Programme schließen, denn er kann langsam sein oder scheitern.</translation>
    </message>
    <message>
      <source>The build needs about {0} of memory and {1} can be had here: close other programs, take a smaller checkpoint or a machine with more memory, {2}.</source>
      <translation>Der Bau braucht etwa {0} Speicher, und hier gibt es {1}: andere Programme schließen, einen kleineren Checkpoint oder einen Rechner mit mehr Speicher nehmen, {2}.</translation>
    </message>
    <message>
      <source>The build needs {0}, {1} and {2}{3}.</source>
      <translation>Der Bau braucht {0}, {1} und {2}{3}.</translation>
    </message>
    <message>
      <source>The build part is being installed by {0}: wait until it is done.</source>
      <translation>Der Teil zum Bauen wird gerade installiert, von {0}: warten, bis das fertig ist.</translation>
    </message>
    <message>
      <source>The build part needs {0} GB of disk and {1} GB are free at {2}: make room there, or let JOINERY_HOME name a folder on another disk.</source>
      <translation>Der Teil zum Bauen braucht {0} GB auf dem Datenträger, und {1} GB sind frei bei {2}: dort Platz schaffen, oder mit JOINERY_HOME einen Ordner auf einem anderen nennen.</translation>
    </message>
    <message>
      <source>The build was cancelled; its completed stages are kept for the next build.</source>
      <translation>Der Bau wurde abgebrochen; seine fertigen Stufen bleiben für den nächsten.</translation>
    </message>
    <message>
      <source>The built-in prompts are cut to {0} tokens, for the smaller cache of {1}.</source>
      <translation>Die eingebauten Eingaben sind auf {0} Tokens gekürzt, für den kleineren Cache von {1}.</translation>
    </message>
    <message>
      <source>The bundle does not state its pooling: choose the one that its model's page names.</source>
      <translation>Das Bundle nennt sein Pooling nicht: das wählen, das die Seite des Modells nennt.</translation>
    </message>
    <message>
      <source>The bundle has no prompt {0}; its prompts are: {1}.</source>
      <translation>Das Bundle hat keine Eingabe {0}; es hat: {1}.</translation>
    </message>
    <message>
      <source>The bundle has no tokenizer.json: prompts and replies are ids alone.</source>
      <translation>Das Bundle hat keine tokenizer.json: Eingaben und Antworten sind allein IDs.</translation>
    </message>
    <message>
      <source>The bundle has no {0}, which says how a picture is prepared: add the file to the checkpoint and build the bundle again.</source>
      <translation>Das Bundle hat keine {0}, die sagt, wie ein Bild vorbereitet wird: die Datei zum Checkpoint legen und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>The bundle has the chat templates {0} and none of them is the default: give a plain prompt instead of a conversation.</source>
      <translation>Das Bundle hat die Chat-Vorlagen {0}, und keine davon ist die Vorgabe: eine einfache Eingabe statt eines Gesprächs angeben.</translation>
    </message>
    <message>
      <source>The bundle hears no sound: open one that transcribes, or write a prompt.</source>
      <translation>Das Bundle hört keinen Ton: eines öffnen, das transkribiert, oder eine Eingabe schreiben.</translation>
    </message>
    <message>
      <source>The bundle holds {0} tokens at most, among which the model attends to all: its index, which selects keys in longer texts, is left out.</source>
      <translation>Das Bundle hält höchstens {0} Tokens, unter denen das Modell alle beachtet: sein Index, der in längeren Texten Schlüssel auswählt, entfällt.</translation>
    </message>
    <message>
      <source>The bundle is complete, but not compiled: {0}</source>
      <translation>Das Bundle ist vollständig, aber nicht kompiliert: {0}</translation>
    </message>
    <message>
      <source>The bundle reads no pictures: leave the pictures out.</source>
      <translation>Das Bundle liest keine Bilder: die Bilder weglassen.</translation>
    </message>
    <message>
      <source>The bundle reads no pictures: open one that does, or leave them out.</source>
      <translation>Das Bundle liest keine Bilder: eines öffnen, das sie liest, oder sie weglassen.</translation>
    </message>
    <message>
      <source>The bundle reads no sound beside a prompt: open one that does, or leave it out.</source>
      <translation>Das Bundle liest keinen Ton neben einer Eingabe: eines öffnen, das ihn liest, oder ihn weglassen.</translation>
    </message>
    <message>
      <source>The bundle rotates by the model's long factors, which are for texts of more than {0}: the logits of shorter texts differ from transformers', so build with --capacity {1} for those.</source>
      <translation>Das Bundle dreht mit den langen Faktoren des Modells, die für Texte über {0} sind: die Logits kürzerer Texte weichen von denen in transformers ab, also dafür mit --capacity {1} bauen.</translation>
    </message>
    <message>
      <source>The bundle rotates by the model's short factors, which are for texts of up to {0}: for longer ones, up to {1}, build with a larger --capacity than {2}.</source>
      <translation>Das Bundle dreht mit den kurzen Faktoren des Modells, die für Texte bis {0} sind: für längere, bis {1}, mit einer größeren --capacity als {2} bauen.</translation>
    </message>
    <message>
      <source>The bundle takes pixel_values alone. {0}</source>
      <translation>Das Bundle nimmt allein pixel_values. {0}</translation>
    </message>
    <message>
      <source>The bundle takes token ids only</source>
      <translation>Das Bundle nimmt nur Token-IDs</translation>
    </message>
    <message>
      <source>The bundle's graphs have {0} slots: a capacity of {1} needs another build.</source>
      <translation>Die Graphen des Bundles haben {0} Plätze: eine Kapazität von {1} braucht einen anderen Bau.</translation>
    </message>
    <message>
      <source>The bundle's graphs know {0} positions: a capacity of {1} needs another build.</source>
      <translation>Die Graphen des Bundles kennen {0} Positionen: eine Kapazität von {1} braucht einen anderen Bau.</translation>
    </message>
    <message>
      <source>The cache cannot go back to {0} tokens: it can go to {1}.</source>
      <translation>Der Cache kann nicht auf {0} Tokens zurückgehen: möglich ist {1}.</translation>
    </message>
    <message>
      <source>The cache holds {0} tokens, and position {1} is beyond it: build or open with a larger capacity, or use the window cache.</source>
      <translation>Der Cache hält {0} Tokens, und Position {1} liegt dahinter: mit einer größeren Kapazität bauen oder öffnen, oder den Fenster-Cache verwenden.</translation>
    </message>
    <message>
      <source>The cache is static, for {0}.</source>
      <translation>Der Cache ist static, denn {0}.</translation>
    </message>
    <message>
      <source>The cache scatter needs opset {0}, which brought TensorScatter, not {1}.</source>
      <translation>Der Cache scatter braucht Opset {0}, der TensorScatter brachte, nicht {1}.</translation>
    </message>
    <message>
      <source>The cached '{0}' is damaged and is downloaded again.</source>
      <translation>Das zwischengespeicherte „{0}“ ist beschädigt und wird neu geladen.</translation>
    </message>
    <message>
      <source>The capacity cannot be {0}: give a whole number above 0.</source>
      <translation>Die Kapazität kann nicht {0} sein: eine ganze Zahl über 0 angeben.</translation>
    </message>
    <message>
      <source>The chain is invalid: {0}.</source>
      <translation>Die Kette ist ungültig: {0}.</translation>
    </message>
    <message>
      <source>The chat template begins past replies differently from the reply to be generated.</source>
      <translation>Die Chat-Vorlage beginnt frühere Antworten anders als die Antwort, die erzeugt werden soll.</translation>
    </message>
    <message>
      <source>The chat template cannot be compiled: {0}.</source>
      <translation>Die Chat-Vorlage kann nicht übersetzt werden: {0}.</translation>
    </message>
    <message>
      <source>The chat template cannot take this conversation: {0}.</source>
      <translation>Die Chat-Vorlage nimmt diese Unterhaltung nicht an: {0}.</translation>
    </message>
    <message>
      <source>The chat template drops the text that a reply is to begin with: leave the prefill out.</source>
      <translation>Die Chat-Vorlage lässt den Text weg, mit dem eine Antwort beginnen soll: den Anfang weglassen.</translation>
    </message>
    <message>
      <source>The chat template ignores tools: the model does not see them.</source>
      <translation>Die Chat-Vorlage ignoriert Werkzeuge: das Modell sieht sie nicht.</translation>
    </message>
    <message>
      <source>The chat template takes no system message: its text stands at the beginning of the first prompt.</source>
      <translation>Die Chat-Vorlage nimmt keine Systemnachricht an: ihr Text steht am Anfang der ersten Eingabe.</translation>
    </message>
    <message>
      <source>The chat template took more than {0} MiB of memory and was ended.</source>
      <translation>Die Chat-Vorlage brauchte mehr als {0} MiB Speicher und wurde beendet.</translation>
    </message>
    <message>
      <source>The chat template wrote more than {0} characters and was ended.</source>
      <translation>Die Chat-Vorlage schrieb mehr als {0} Zeichen und wurde beendet.</translation>
    </message>
    <message>
      <source>The chat template {0}.</source>
      <translation>Die Chat-Vorlage {0}.</translation>
    </message>
    <message>
      <source>The check is quick: the model runs through its cache in one way instead of three, and one token instead of twelve is fed alone.</source>
      <translation>Die Prüfung ist kurz: das Modell läuft auf eine statt auf drei Arten durch seinen Cache, und ein Token statt zwölf wird einzeln gegeben.</translation>
    </message>
    <message>
      <source>The check was cancelled.</source>
      <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The checkpoint asks for {0}, which Joinery does not apply: it decodes greedily.</source>
      <translation>Der Checkpoint verlangt {0}, was Joinery nicht anwendet: es dekodiert gierig.</translation>
    </message>
    <message>
      <source>The checkpoint has '{0}' but neither '{1}' nor '{2}'; save the model with save_pretrained, or name its one weight file '{3}'.</source>
      <translation>Der Checkpoint hat „{0}“, aber weder „{1}“ noch „{2}“; das Modell mit save_pretrained speichern oder seine eine Gewichtsdatei „{3}“ nennen.</translation>
    </message>
    <message>
      <source>The checkpoint has layers of the type {0}: this version of Joinery builds models whose every layer is one of {1}.</source>
      <translation>Der Checkpoint hat Schichten der Art {0}: diese Version von Joinery baut Modelle, deren Schichten alle von {1} sind.</translation>
    </message>
    <message>
      <source>The checkpoint has no preprocessor_config.json, which says how a picture is prepared: the bundle takes pixel_values alone.</source>
      <translation>Der Checkpoint hat keine preprocessor_config.json, die sagt, wie ein Bild vorbereitet wird: das Bundle nimmt allein pixel_values.</translation>
    </message>
    <message>
      <source>The checkpoint has no tokenizer for the built-in sentences: {0}, as ids like 1,2,3.</source>
      <translation>Der Checkpoint hat keinen Tokenizer für die eingebauten Sätze: {0}, als Ids wie 1,2,3.</translation>
    </message>
    <message>
      <source>The checkpoint has no weights: '{0}' is missing; get the checkpoint again.</source>
      <translation>Der Checkpoint hat keine Gewichte: „{0}“ fehlt; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>The checkpoint is a {0}, whose layers keep state of fixed size: Joinery builds such a model for {1} alone.</source>
      <translation>Der Checkpoint ist ein {0}, dessen Schichten Zustand fester Größe halten: Joinery baut ein solches Modell allein für {1}.</translation>
    </message>
    <message>
      <source>The checkpoint is {0}, and is_encoder_decoder in its config.json is false: {1} builds models with an encoder and a decoder.</source>
      <translation>Der Checkpoint ist {0}, und is_encoder_decoder in seiner config.json ist false: {1} baut Modelle mit Encoder und Decoder.</translation>
    </message>
    <message>
      <source>The checkpoint is {0}, which Joinery cannot build: of {1} it builds models for {2}, and this one has another head.</source>
      <translation>Der Checkpoint ist {0}, was Joinery nicht bauen kann: von {1} baut es Modelle für {2}, und dieses hat einen anderen Kopf.</translation>
    </message>
    <message>
      <source>The checkpoint is {0}, which has no head for {1}: {2}.</source>
      <translation>Der Checkpoint ist {0}, ohne Kopf für {1}: {2}.</translation>
    </message>
    <message>
      <source>The checkpoint is {0}, whose config.json has the part {1}: {2}; open one of these, or one of text alone.</source>
      <translation>Der Checkpoint ist {0}, dessen config.json den Teil {1} hat: {2}; einen von diesen öffnen, oder einen allein für Text.</translation>
    </message>
    <message>
      <source>The checkpoint is {0}, {1}: {2}; build its text part alone with --task text-generation.</source>
      <translation>Der Checkpoint ist {0}, {1}: {2}; nur seinen Textteil mit --task text-generation bauen.</translation>
    </message>
    <message>
      <source>The checkpoint names the file '{0}', which is not a plain path inside its folder; get the checkpoint again from a source that you trust.</source>
      <translation>Der Checkpoint nennt die Datei „{0}“, was kein einfacher Pfad in seinem Ordner ist; den Checkpoint von einer vertrauenswürdigen Quelle erneut holen.</translation>
    </message>
    <message>
      <source>The checkpoint's index names '{0}', which is missing; download the missing file.</source>
      <translation>Der Index des Checkpoints nennt „{0}“, das fehlt; die fehlende Datei herunterladen.</translation>
    </message>
    <message>
      <source>The checkpoint's own blocks of integers; nothing is rounded anew.</source>
      <translation>Die eigenen Ganzzahlblöcke des Checkpoints; nichts wird neu gerundet.</translation>
    </message>
    <message>
      <source>The checkpoint's tokenizer does not know most of {0}: calibrate on texts that it was made for.</source>
      <translation>Der Tokenizer des Checkpoints kennt das meiste von {0} nicht: mit Texten kalibrieren, für die er gemacht ist.</translation>
    </message>
    <message>
      <source>The checkpoint's weight files hold no tensor; get the checkpoint again.</source>
      <translation>Die Gewichtsdateien des Checkpoints enthalten keinen Tensor; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>The checkpoint's weights are in '{0}', a format that can run code when it is opened and that is read under the names '{1}' and '{2}' alone; convert it to safetensors (save_pretrained does that) and open the result.</source>
      <translation>Die Gewichte des Checkpoints sind in „{0}“, einem Format, das beim Öffnen Code ausführen kann und allein unter den Namen „{1}“ und „{2}“ gelesen wird; in safetensors umwandeln (das tut save_pretrained) und das Ergebnis öffnen.</translation>
    </message>
    <message>
      <source>The checkpoint's {0} is '{1}', which is not a token id; get it again.</source>
      <translation>{0} des Checkpoints ist „{1}“, was keine Token-ID ist; ihn erneut holen.</translation>
    </message>
    <message>
      <source>The comparison was cancelled.</source>
      <translation>Der Vergleich wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The configuration asks for what Joinery does not run: {0}.</source>
      <translation>Die Konfiguration verlangt, was Joinery nicht ausführt: {0}.</translation>
    </message>
    <message>
      <source>The connection to the hub was lost while downloading {0}; the received part is kept, so try again to continue.</source>
      <translation>Die Verbindung zum Hub ging beim Laden von {0} verloren; der empfangene Teil bleibt, also zum Fortsetzen noch einmal versuchen.</translation>
    </message>
    <message>
      <source>The connection to {0} was lost: it gave no sign of life for {1} s.</source>
      <translation>Die Verbindung zu {0} ging verloren: seit {1} s kein Lebenszeichen.</translation>
    </message>
    <message>
      <source>The conversation cannot be written as JSON: {0}.</source>
      <translation>Das Gespräch kann nicht als JSON geschrieben werden: {0}.</translation>
    </message>
    <message>
      <source>The cpu provider takes no device options, and {0} was given.</source>
      <translation>Der CPU-Provider nimmt keine Geräteoptionen an, und {0} wurde angegeben.</translation>
    </message>
    <message>
      <source>The disk is full; free some space and try again to continue the download.</source>
      <translation>Der Datenträger ist voll; Platz schaffen und zum Fortsetzen noch einmal versuchen.</translation>
    </message>
    <message>
      <source>The disk of {0} is full: {1} {2} {3}; make room there, or choose a folder on another disk.</source>
      <translation>Der Datenträger von {0} ist voll: {1} {2} {3}; dort Platz schaffen oder einen Ordner auf einem anderen Datenträger wählen.</translation>
    </message>
    <message>
      <source>The end token {0} is beyond the model's ids, which go to {1}: it is never drawn</source>
      <translation>Das Endtoken {0} liegt über den IDs des Modells, die bis {1} gehen: es wird nie gezogen</translation>
    </message>
    <message>
      <source>The generation option {0} cannot be {1}: {2}.</source>
      <translation>Die Option {0} der Erzeugung kann nicht {1} sein: {2}.</translation>
    </message>
    <message>
      <source>The generation options do not go together: {0}.</source>
      <translation>Die Optionen der Erzeugung passen nicht zusammen: {0}.</translation>
    </message>
    <message>
      <source>The generation was cancelled.</source>
      <translation>Die Antwort wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The goal task needs a task: give --task-file with questions and answers.</source>
      <translation>Das Ziel task braucht eine Aufgabe: eine Datei mit Fragen und Antworten angeben.</translation>
    </message>
    <message>
      <source>The gqa cache is not right for this model, for {0}: build with --cache static.</source>
      <translation>Der Cache gqa ist für dieses Modell nicht richtig, denn {0}: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>The graph gives NaN or infinity for text {0}: build the bundle in a higher precision.</source>
      <translation>Der Graph gibt NaN oder Unendlich für Text {0}: das Bundle in höherer Präzision bauen.</translation>
    </message>
    <message>
      <source>The graph gives NaN or infinity for the picture: build the bundle in a higher precision.</source>
      <translation>Der Graph gibt für das Bild NaN oder unendlich: das Bundle in höherer Genauigkeit bauen.</translation>
    </message>
    <message>
      <source>The graph has no input {0}: its inputs are {1}.</source>
      <translation>Der Graph hat keinen Eingang {0}: seine Eingänge sind {1}.</translation>
    </message>
    <message>
      <source>The graph is closed: open the bundle again.</source>
      <translation>Der Graph ist geschlossen: das Bundle erneut öffnen.</translation>
    </message>
    <message>
      <source>The graph of the {0} encoder has dynamic shapes{1}.</source>
      <translation>Der Graph des {0}-Encoders hat dynamische Formen{1}.</translation>
    </message>
    <message>
      <source>The graph takes pictures of {0} × {1} pixels alone, so the picture is scaled to that size and loses its ratio: its depths differ from those of the checkpoint.</source>
      <translation>Der Graph nimmt allein Bilder von {0} × {1} Pixeln, also wird das Bild auf diese Größe gebracht und verliert sein Seitenverhältnis: seine Tiefen weichen von denen des Checkpoints ab.</translation>
    </message>
    <message>
      <source>The hub at {0} answers with error {1}; try again later.</source>
      <translation>Der Hub {0} antwortet mit Fehler {1}; später noch einmal versuchen.</translation>
    </message>
    <message>
      <source>The hub at {0} cannot be reached, and no complete copy of {1} is on this machine; check the connection, or give a checkpoint's folder.</source>
      <translation>Der Hub {0} ist nicht erreichbar, und auf diesem Rechner ist keine ganze Kopie von {1}; die Verbindung prüfen oder den Ordner eines Checkpoints angeben.</translation>
    </message>
    <message>
      <source>The hub has no model {0} (or it is private), and no folder here has that name; check the name, or {1} if it is private.</source>
      <translation>Der Hub hat kein Modell {0} (oder es ist privat), und kein Ordner hier heißt so; den Namen prüfen, oder {1}, falls es privat ist.</translation>
    </message>
    <message>
      <source>The hub is out of reach; the copy of {0} on this machine is used</source>
      <translation>Der Hub ist nicht erreichbar; die Kopie von {0} auf diesem Rechner wird verwendet</translation>
    </message>
    <message>
      <source>The hub refuses {0} with the login on this machine; log in with `hf auth login` as somebody who may read it.</source>
      <translation>Der Hub verweigert {0} mit der Anmeldung dieser Maschine; mit `hf auth login` als jemand anmelden, der es lesen darf.</translation>
    </message>
    <message>
      <source>The hub's '{0}' does not match its stated hash, so it was removed; try again, and if it happens again tell the owner of the model.</source>
      <translation>„{0}“ vom Hub passt nicht zum angegebenen Hash und wurde entfernt; erneut versuchen, und wenn es wieder geschieht, den Eigentümer des Modells verständigen.</translation>
    </message>
    <message>
      <source>The hub's address (HF_ENDPOINT) is not a web address; correct it or unset it.</source>
      <translation>Die Adresse des Hubs (HF_ENDPOINT) ist keine Webadresse; sie berichtigen oder entfernen.</translation>
    </message>
    <message>
      <source>The hub's cache folder cannot be used ({0}); check HF_HOME and its permissions.</source>
      <translation>Der Cache-Ordner des Hubs kann nicht verwendet werden ({0}); HF_HOME und seine Rechte prüfen.</translation>
    </message>
    <message>
      <source>The input {0} is missing: the graph takes {1}.</source>
      <translation>Der Eingang {0} fehlt: der Graph nimmt {1}.</translation>
    </message>
    <message>
      <source>The job was cancelled before it began.</source>
      <translation>Der Auftrag wurde abgebrochen, bevor er begann.</translation>
    </message>
    <message>
      <source>The job {0} {1}.</source>
      <translation>Der Auftrag {0} {1}.</translation>
    </message>
    <message>
      <source>The list of tools</source>
      <translation>Die Liste der Werkzeuge</translation>
    </message>
    <message>
      <source>The model's loading was cancelled.</source>
      <translation>Das Laden des Modells wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The picture</source>
      <translation>Das Bild</translation>
    </message>
    <message>
      <source>The picture file {0}</source>
      <translation>Die Bilddatei {0}</translation>
    </message>
    <message>
      <source>The pictures are scaled to several sizes ({0}), and the model takes one: give them one at a time.</source>
      <translation>Die Bilder werden auf mehrere Größen gebracht ({0}), und das Modell nimmt eine: sie einzeln angeben.</translation>
    </message>
    <message>
      <source>The pictures were not read to the end.</source>
      <translation>Die Bilder wurden nicht zu Ende gelesen.</translation>
    </message>
    <message>
      <source>The pipeline was not compared with the graphs, for the package {0} is not installed.</source>
      <translation>Die Pipeline wurde nicht mit den Graphen verglichen, denn das Paket {0} ist nicht installiert.</translation>
    </message>
    <message>
      <source>The plan {0} cannot be read: {1}.</source>
      <translation>Der Plan {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The plan {0} is not TOML: {1}.</source>
      <translation>Der Plan {0} ist kein TOML: {1}.</translation>
    </message>
    <message>
      <source>The plan {0} is not a TOML text.</source>
      <translation>Der Plan {0} ist kein TOML-Text.</translation>
    </message>
    <message>
      <source>The plan {0} is {1}: give a TOML file.</source>
      <translation>Der Plan {0} ist {1}: eine TOML-Datei angeben.</translation>
    </message>
    <message>
      <source>The plugin of {0} cannot be loaded: {1}</source>
      <translation>Das Plugin von {0} kann nicht geladen werden: {1}</translation>
    </message>
    <message>
      <source>The plugin {0} failed: {1}.</source>
      <translation>Das Plugin {0} scheiterte: {1}.</translation>
    </message>
    <message>
      <source>The plugin {0} is not installed.</source>
      <translation>Das Plugin {0} ist nicht installiert.</translation>
    </message>
    <message>
      <source>The precision stored is for checkpoints whose weights are stored in blocks of integers, such as GGUF, and this one stores {0}: choose int8 or int4.</source>
      <translation>Die Präzision stored ist für Checkpoints, deren Gewichte in Ganzzahlblöcken gespeichert sind, etwa GGUF, und dieser speichert {0}: int8 oder int4 wählen.</translation>
    </message>
    <message>
      <source>The process was cancelled.</source>
      <translation>Der Prozess wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The prompt</source>
      <translation>Die Eingabe</translation>
    </message>
    <message>
      <source>The prompt cache cannot be written to {0}: {1}.</source>
      <translation>Der Prompt-Cache kann nicht nach {0} geschrieben werden: {1}.</translation>
    </message>
    <message>
      <source>The prompt cache {0} cannot be read: {1}.</source>
      <translation>Der Prompt-Cache {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The prompt cache {0} contradicts itself: save it again.</source>
      <translation>Der Prompt-Cache {0} widerspricht sich: ihn noch einmal speichern.</translation>
    </message>
    <message>
      <source>The prompt cache {0} holds {1} tokens and this cache {2}: open the bundle with a larger capacity.</source>
      <translation>Der Prompt-Cache {0} hält {1} Tokens und dieser Cache {2}: das Bundle mit einer größeren Kapazität öffnen.</translation>
    </message>
    <message>
      <source>The prompt cache {0} lacks {1}: save it again.</source>
      <translation>Im Prompt-Cache {0} fehlt {1}: ihn noch einmal speichern.</translation>
    </message>
    <message>
      <source>The prompt has {0} tokens and the bundle has {1} positions: shorten it, or, if the model has more, build with a larger capacity.</source>
      <translation>Die Eingabe hat {0} Tokens, und das Bundle hat {1} Positionen: sie kürzen oder, falls das Modell mehr hat, mit einer größeren Kapazität bauen.</translation>
    </message>
    <message>
      <source>The prompt has {0} tokens and the cache holds {1}: shorten it, build with a larger capacity, or use the window cache.</source>
      <translation>Die Eingabe hat {0} Tokens, und der Cache hält {1}: sie kürzen, mit einer größeren Kapazität bauen oder den Fenster-Cache verwenden.</translation>
    </message>
    <message>
      <source>The prompt is empty: give at least one token.</source>
      <translation>Die Eingabe ist leer: mindestens ein Token angeben.</translation>
    </message>
    <message>
      <source>The prompt is not valid Unicode text: give it as UTF-8.</source>
      <translation>Die Eingabe ist kein gültiger Unicode-Text: sie als UTF-8 angeben.</translation>
    </message>
    <message>
      <source>The quantized graphs do not run: {0}</source>
      <translation>Die quantisierten Graphen laufen nicht: {0}</translation>
    </message>
    <message>
      <source>The recipe file {0} cannot be read: {1}.</source>
      <translation>Die Rezeptdatei {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The recipe file {0} cannot be used: {1}</source>
      <translation>Die Rezeptdatei {0} kann nicht verwendet werden: {1}</translation>
    </message>
    <message>
      <source>The recipe file {0} is not a JSON object of settings.</source>
      <translation>Die Rezeptdatei {0} ist kein JSON-Objekt mit Einstellungen.</translation>
    </message>
    <message>
      <source>The recipe file {0} is {1}: give a file.</source>
      <translation>Die Rezeptdatei {0} ist {1}: eine Datei angeben.</translation>
    </message>
    <message>
      <source>The recipe file {0} {1}: mend it, or give another.</source>
      <translation>Die Rezeptdatei {0} {1}: sie berichtigen oder eine andere angeben.</translation>
    </message>
    <message>
      <source>The recipe is for {0} {1} and the checkpoint is {2}.</source>
      <translation>Das Rezept ist für {0} {1}, und der Checkpoint ist {2}.</translation>
    </message>
    <message>
      <source>The recipe's settings do not go together</source>
      <translation>Die Einstellungen des Rezepts passen nicht zusammen</translation>
    </message>
    <message>
      <source>The reference has {0} tokens in its vocabulary and the candidate {1}: only bundles of one checkpoint, or with one vocabulary, can be compared.</source>
      <translation>Die Referenz hat {0} Tokens im Vokabular und der Kandidat {1}: nur Bundles eines Checkpoints oder mit einem Vokabular lassen sich vergleichen.</translation>
    </message>
    <message>
      <source>The size of {0} cannot be {1}: give a whole number above 0.</source>
      <translation>Die Größe von {0} kann nicht {1} sein: eine ganze Zahl über 0 angeben.</translation>
    </message>
    <message>
      <source>The sound</source>
      <translation>Der Ton</translation>
    </message>
    <message>
      <source>The sound file {0}</source>
      <translation>Die Tondatei {0}</translation>
    </message>
    <message>
      <source>The stage {0} is being made by {1}: waiting for it.</source>
      <translation>Die Stufe {0} wird von {1} gemacht: darauf wird gewartet.</translation>
    </message>
    <message>
      <source>The stage {0} is not cached for other builds: {1}.</source>
      <translation>Die Stufe {0} wird nicht für andere Builds aufbewahrt: {1}.</translation>
    </message>
    <message>
      <source>The stage {0} of an earlier build is damaged: it is made again.</source>
      <translation>Die Stufe {0} eines früheren Baus ist beschädigt: sie wird neu gemacht.</translation>
    </message>
    <message>
      <source>The sweep was stopped after {0} of {1} steps: the same command goes on.</source>
      <translation>Der Sweep wurde nach {0} von {1} Schritten angehalten: derselbe Befehl setzt ihn fort.</translation>
    </message>
    <message>
      <source>The system cannot read or write{0}: {1}; check the path, the free space and the permissions.</source>
      <translation>Das System kann nicht lesen oder schreiben{0}: {1}; Pfad, freien Platz und Rechte prüfen.</translation>
    </message>
    <message>
      <source>The target {0} does not support opset {1}: it supports {2} only.</source>
      <translation>Das Ziel {0} unterstützt Opset {1} nicht: nur {2}.</translation>
    </message>
    <message>
      <source>The target {0} does not support {1} {2}: {3}{4}.</source>
      <translation>Das Ziel {0} unterstützt {1} {2} nicht: {3}{4}.</translation>
    </message>
    <message>
      <source>The target {0} has no LinearAttention and no CausalConvWithState: recurrences and convolutions are built from ONNX's own operators.</source>
      <translation>Das Ziel {0} hat weder LinearAttention noch CausalConvWithState: Rekurrenzen und Faltungen werden aus ONNX-eigenen Operatoren gebaut.</translation>
    </message>
    <message>
      <source>The target {0} takes fixed shapes: the vision encoder reads one tile at a time.</source>
      <translation>Das Ziel {0} nimmt feste Formen an: der Bild-Encoder liest eine Kachel nach der anderen.</translation>
    </message>
    <message>
      <source>The tensor '{0}' is in '{1}' and in '{2}', which is ambiguous; the checkpoint is refused.</source>
      <translation>Der Tensor „{0}“ ist in „{1}“ und in „{2}“, was mehrdeutig ist; der Checkpoint wird abgelehnt.</translation>
    </message>
    <message>
      <source>The texts were not read to the end.</source>
      <translation>Die Texte wurden nicht zu Ende gelesen.</translation>
    </message>
    <message>
      <source>The tokenizer {0} of {1} cannot be used: {2}; {3}, or build without the tokenizer (--no-tokenizer): the bundle then takes token ids alone.</source>
      <translation>Der Tokenizer {0} von {1} kann nicht verwendet werden: {2}; {3}, oder ohne den Tokenizer bauen (--no-tokenizer): das Bundle nimmt dann allein Token-IDs.</translation>
    </message>
    <message>
      <source>The tokenizers of the two bundles make different tokens of the same text: only bundles with one tokenizer can be compared.</source>
      <translation>Die Tokenizer der beiden Bundles machen aus demselben Text verschiedene Tokens: nur Bundles mit einem Tokenizer lassen sich vergleichen.</translation>
    </message>
    <message>
      <source>The transformer-only variant attends by GroupQueryAttention, which needs --cache gqa, not {0}.</source>
      <translation>Die Variante transformer-only verwendet GroupQueryAttention, das --cache gqa braucht, nicht {0}.</translation>
    </message>
    <message>
      <source>The transformer-only variant is not right for this model: {0}; build the plain variant.</source>
      <translation>Die Variante transformer-only ist für dieses Modell nicht richtig: {0}; die Variante plain bauen.</translation>
    </message>
    <message>
      <source>The weights in {0} need {1} of disk and {2} are free beside {3}: make room, choose a folder on another disk{4}, {5}.</source>
      <translation>Die Gewichte in {0} brauchen {1} Platz, und {2} sind neben {3} frei: Platz schaffen, einen Ordner auf einem anderen Datenträger wählen{4}, {5}.</translation>
    </message>
    <message>
      <source>The weights of {0} stay in their file, for {1} and a copy takes {2}: prompts take up to {3} times as long, new tokens {4} times.</source>
      <translation>Die Gewichte von {0} bleiben in ihrer Datei, denn {1} und eine Kopie braucht {2}: Eingaben dauern bis zu {3}-mal so lang, neue Tokens {4}-mal.</translation>
    </message>
    <message>
      <source>The window of {0} tokens is full: the oldest tokens are being forgotten.</source>
      <translation>Das Fenster von {0} Tokens ist voll: die ältesten Tokens werden vergessen.</translation>
    </message>
    <message>
      <source>The {0} cache is not right for this model, for {1}: build with --cache static.</source>
      <translation>Der Cache {0} ist für dieses Modell nicht richtig, denn {1}: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>The {0} cache is not right for {1}: {2}; build with --cache {3}.</source>
      <translation>Der Cache {0} ist für {1} nicht richtig: {2}; mit --cache {3} bauen.</translation>
    </message>
    <message>
      <source>The {0} is copied unchanged</source>
      <translation>{0} wird unverändert kopiert</translation>
    </message>
    <message>
      <source>The {0} of {1} gives logits that are NaN or infinite.</source>
      <translation>Der Lauf {0} von {1} ergibt Logits, die NaN oder unendlich sind.</translation>
    </message>
    <message>
      <source>The {0} of {1} gives logits that are off by {2} of the CPU provider's {3}.</source>
      <translation>Der Lauf {0} von {1} ergibt Logits, die um {2} von {3} des CPU-Providers abweichen.</translation>
    </message>
    <message>
      <source>There is no bundle folder {0}: check the path, or build one with `joinery build`.</source>
      <translation>Es gibt keinen Bundle-Ordner {0}: den Pfad prüfen oder mit `joinery build` eines bauen.</translation>
    </message>
    <message>
      <source>There is no component {0} to place: the components are {1}.</source>
      <translation>Es gibt keine Komponente {0} zuzuteilen: die Komponenten sind {1}.</translation>
    </message>
    <message>
      <source>There is no demo '{0}'; there is: {1}.</source>
      <translation>Es gibt keine Demo „{0}“; es gibt: {1}.</translation>
    </message>
    <message>
      <source>There is no file {0}: check the path.</source>
      <translation>Es gibt keine Datei {0}: den Pfad prüfen.</translation>
    </message>
    <message>
      <source>There is no folder {0}; give a checkpoint's folder, demo:NAME, or a model's name on the hub.</source>
      <translation>Es gibt keinen Ordner {0}; den Ordner eines Checkpoints, demo:NAME oder den Namen eines Modells auf dem Hub angeben.</translation>
    </message>
    <message>
      <source>There is no picture to classify: give one or more.</source>
      <translation>Es gibt kein Bild zu klassifizieren: eines oder mehrere angeben.</translation>
    </message>
    <message>
      <source>There is no plugin to install for {0}: there are plugins for {1}.</source>
      <translation>Für {0} gibt es kein Plugin: es gibt welche für {1}.</translation>
    </message>
    <message>
      <source>There is no prompt cache {0}: check the path.</source>
      <translation>Es gibt keinen Prompt-Cache {0}: den Pfad prüfen.</translation>
    </message>
    <message>
      <source>There is no target {0}: choose one of {1}.</source>
      <translation>Es gibt kein Ziel {0}: eines von {1} wählen.</translation>
    </message>
    <message>
      <source>There is no text to classify: give one or more.</source>
      <translation>Es gibt keinen Text zum Klassifizieren: einen oder mehr angeben.</translation>
    </message>
    <message>
      <source>There is no text to compare: give one or more.</source>
      <translation>Es gibt keinen Text zum Vergleichen: einen oder mehr angeben.</translation>
    </message>
    <message>
      <source>This bundle does not support the {0} cache: its graph {1}; use static.</source>
      <translation>Dieses Bundle unterstützt den Cache {0} nicht: sein Graph {1}; static verwenden.</translation>
    </message>
    <message>
      <source>This bundle has no chat template that could describe tools: leave the tools out.</source>
      <translation>Dieses Bundle hat keine Chat-Vorlage, die Werkzeuge beschreiben könnte: die Werkzeuge weglassen.</translation>
    </message>
    <message>
      <source>This bundle has no chat template: give a plain prompt instead of a conversation.</source>
      <translation>Dieses Bundle hat keine Chat-Vorlage: eine einfache Eingabe statt eines Gesprächs angeben.</translation>
    </message>
    <message>
      <source>This bundle has no chat template: it completes the text that was written so far.</source>
      <translation>Dieses Bundle hat keine Chat-Vorlage: es vervollständigt den bisher geschriebenen Text.</translation>
    </message>
    <message>
      <source>This bundle has no tokenizer: give the prompt as ids with --prompt-ids.</source>
      <translation>Dieses Bundle hat keinen Tokenizer: die Eingabe als IDs mit --prompt-ids angeben.</translation>
    </message>
    <message>
      <source>This bundle keeps state of fixed size and no slots, so the {0} cache has no use.</source>
      <translation>Dieses Bundle hat Zustand fester Größe und keine Plätze, also ist der Cache {0} nutzlos.</translation>
    </message>
    <message>
      <source>This bundle's graph was built for the cache {0}, and {1} needs another graph: build one with --cache {2}.</source>
      <translation>Der Graph dieses Bundles wurde für den Cache {0} gebaut, und {1} braucht einen anderen: einen mit --cache {2} bauen.</translation>
    </message>
    <message>
      <source>This checkpoint would run its own Python code: {0}{1}; read these files, and if you trust them say so with --trust-remote-code.</source>
      <translation>Dieser Checkpoint würde eigenen Python-Code ausführen: {0}{1}; diese Dateien lesen und ihnen, wenn sie vertrauenswürdig sind, zustimmen.</translation>
    </message>
    <message>
      <source>This environment has no pip: install {0} with the tool that made the environment.</source>
      <translation>Diese Umgebung hat kein pip: {0} mit dem Werkzeug installieren, das die Umgebung erzeugt hat.</translation>
    </message>
    <message>
      <source>This is an adapter and not a whole model: give its base with it, `joinery build BASE --adapter DIR --out DIR`.</source>
      <translation>Das ist ein Adapter und kein ganzes Modell: seine Basis mit angeben, `joinery build BASE --adapter DIR --out DIR`.</translation>
    </message>
    <message>
      <source>This is the text part of {0} alone: the weights that read pictures or sound are left out.</source>
      <translation>Dies ist nur der Textteil von {0}: die Gewichte, die Bilder oder Ton lesen, fehlen.</translation>
    </message>
    <message>
      <source>This is {0} with pictures: the weights that read sound are left out.</source>
      <translation>Dies ist {0} mit Bildern: die Gewichte, die Ton lesen, fehlen.</translation>
    </message>
    <message>
      <source>This model's attention has sinks, and {0} takes none: build with --cache static.</source>
      <translation>Die Attention dieses Modells hat Sinks, und {0} nimmt keine an: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>Update Windows and its drivers.</source>
      <translation>Windows und seine Treiber aktualisieren.</translation>
    </message>
    <message>
      <source>Update the driver of the device.</source>
      <translation>Den Treiber des Geräts aktualisieren.</translation>
    </message>
    <message>
      <source>WebGPU computes in half precision where the graphics card does.</source>
      <translation>WebGPU rechnet in halber Genauigkeit, wo die Grafikkarte es tut.</translation>
    </message>
    <message>
      <source>WebGPU has no QuantizeLinear, and leaves it to the CPU before every MatMul.</source>
      <translation>WebGPU hat kein QuantizeLinear und überlässt es vor jedem MatMul der CPU.</translation>
    </message>
    <message>
      <source>WebGPU leaves 16-bit Quantize and Dequantize to the CPU.</source>
      <translation>WebGPU überlässt Quantize und Dequantize mit 16 Bit der CPU.</translation>
    </message>
    <message>
      <source>WebGPU leaves TensorScatter to the CPU, and with it the cache.</source>
      <translation>WebGPU überlässt TensorScatter der CPU, und damit den Cache.</translation>
    </message>
    <message>
      <source>Weights in 8 bits per column, activations quantized by their own range at every run.</source>
      <translation>Gewichte in 8 Bit je Spalte, Aktivierungen bei jedem Lauf nach ihrem eigenen Bereich quantisiert.</translation>
    </message>
    <message>
      <source>Weights in blocks of 4-bit integers; small models lose some accuracy.</source>
      <translation>Gewichte in Blöcken von 4-Bit-Ganzzahlen; kleine Modelle werden etwas ungenauer.</translation>
    </message>
    <message>
      <source>Weights in blocks of 8-bit integers.</source>
      <translation>Gewichte in Blöcken von 8-Bit-Ganzzahlen.</translation>
    </message>
    <message>
      <source>Weights in the blocks of integers of the checkpoint</source>
      <translation>Gewichte in den Ganzzahlblöcken des Checkpoints</translation>
    </message>
    <message>
      <source>Weights, activations and cache in 16 bits.</source>
      <translation>Gewichte, Aktivierungen und Cache in 16 Bit.</translation>
    </message>
    <message>
      <source>Without effect, for {0} has no KV cache: {1}.</source>
      <translation>Ohne Wirkung, denn {0} hat keinen KV-Cache: {1}.</translation>
    </message>
    <message>
      <source>a Windows machine with onnxruntime-windowsml</source>
      <translation>einem Windows-Rechner mit onnxruntime-windowsml</translation>
    </message>
    <message>
      <source>a finite number</source>
      <translation>eine endliche Zahl</translation>
    </message>
    <message>
      <source>a model of several parts</source>
      <translation>ein Modell aus mehreren Teilen</translation>
    </message>
    <message>
      <source>a number above 0</source>
      <translation>eine Zahl über 0</translation>
    </message>
    <message>
      <source>a number from 0.01 to 1</source>
      <translation>eine Zahl von 0,01 bis 1</translation>
    </message>
    <message>
      <source>a number that a model can compute with</source>
      <translation>eine Zahl, mit der ein Modell rechnen kann</translation>
    </message>
    <message>
      <source>a positive number</source>
      <translation>eine positive Zahl</translation>
    </message>
    <message>
      <source>a positive whole number</source>
      <translation>eine positive ganze Zahl</translation>
    </message>
    <message>
      <source>a reply has one constraint: give one of json_schema, regex, grammar and tool_calls</source>
      <translation>eine Antwort hat eine Form: eines von json_schema, regex, grammar und tool_calls angeben</translation>
    </message>
    <message>
      <source>a whole number from {0} to {1}</source>
      <translation>eine ganze Zahl von {0} bis {1}</translation>
    </message>
    <message>
      <source>about {0} of memory ({1} free)</source>
      <translation>etwa {0} Arbeitsspeicher ({1} frei)</translation>
    </message>
    <message>
      <source>an NVIDIA GPU and onnxruntime-gpu</source>
      <translation>einer NVIDIA-GPU und onnxruntime-gpu</translation>
    </message>
    <message>
      <source>an object</source>
      <translation>ein Objekt</translation>
    </message>
    <message>
      <source>another process</source>
      <translation>einen anderen Prozess</translation>
    </message>
    <message>
      <source>another task</source>
      <translation>eine andere Aufgabe</translation>
    </message>
    <message>
      <source>as requested</source>
      <translation>wie gewünscht</translation>
    </message>
    <message>
      <source>beam search does not sample: leave the temperature at 0, or set num_beams to 1</source>
      <translation>die Beam-Suche zieht keine Tokens: die Temperatur bei 0 lassen oder num_beams auf 1 setzen</translation>
    </message>
    <message>
      <source>beam search uses no drafts: leave ngram out, or set num_beams to 1</source>
      <translation>die Beam-Suche verwendet keine Entwürfe: ngram weglassen oder num_beams auf 1 setzen</translation>
    </message>
    <message>
      <source>bf16 does not run on the CPU provider, which lacks products in bfloat16, so the bundle cannot be tried here: fp16 has the same size and runs everywhere.</source>
      <translation>bf16 läuft nicht auf dem CPU-Provider, dem Produkte in bfloat16 fehlen, also kann das Bundle hier nicht erprobt werden: fp16 ist ebenso groß und läuft überall.</translation>
    </message>
    <message>
      <source>calibration fed it nothing: rounded by search</source>
      <translation>die Kalibrierung gab ihm nichts: durch Suche gerundet</translation>
    </message>
    <message>
      <source>comparing the graphs with the optimized ones</source>
      <translation>Graphen werden mit den optimierten verglichen</translation>
    </message>
    <message>
      <source>config.json describes a model of several parts ({0}), and this version of Joinery builds models of one part alone.</source>
      <translation>config.json beschreibt ein Modell aus mehreren Teilen ({0}), und diese Version von Joinery baut nur Modelle aus einem Teil.</translation>
    </message>
    <message>
      <source>config.json has none of {0}: the model cannot be built around a KV cache, or the file is incomplete.</source>
      <translation>config.json hat nichts von {0}: das Modell kann nicht um einen KV-Cache gebaut werden, oder die Datei ist unvollständig.</translation>
    </message>
    <message>
      <source>config.json names no architecture</source>
      <translation>config.json nennt keine Architektur</translation>
    </message>
    <message>
      <source>config.json says {0} = {1}, and the weights hold {2} of each kind of layer at most: the two do not belong together, so get the whole checkpoint.</source>
      <translation>config.json sagt {0} = {1}, und die Gewichte enthalten von jeder Art Schicht höchstens {2}: beide gehören nicht zusammen, also den ganzen Checkpoint holen.</translation>
    </message>
    <message>
      <source>config.json says {0} = {1}, and the {2} tensors of the checkpoint cannot hold as many: the two do not belong together, so get the checkpoint again.</source>
      <translation>config.json sagt {0} = {1}, und die {2} Tensoren des Checkpoints können nicht so viele enthalten: beide gehören nicht zusammen, also den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>config.json says {0} = {1}, which must be {2}: correct the file.</source>
      <translation>config.json sagt {0} = {1}, was {2} sein muss: die Datei berichtigen.</translation>
    </message>
    <message>
      <source>config.json says {0} = {1}, which must be {2}: get config.json again.</source>
      <translation>config.json sagt {0} = {1}, was {2} sein muss: config.json erneut holen.</translation>
    </message>
    <message>
      <source>crops of a picture are not made</source>
      <translation>Ausschnitte eines Bildes werden nicht gemacht</translation>
    </message>
    <message>
      <source>did not answer in {0} s</source>
      <translation>antwortete nicht in {0} s</translation>
    </message>
    <message>
      <source>each prompt needs sound or pictures, and the text to measure with has none</source>
      <translation>jede Eingabe braucht Ton oder Bilder, und der Messtext hat keine</translation>
    </message>
    <message>
      <source>early_exit drafts in runs of any length, and the target {0} takes fixed shapes only.</source>
      <translation>early_exit entwirft in Läufen jeder Länge, und das Ziel {0} nimmt nur feste Formen.</translation>
    </message>
    <message>
      <source>early_exit drafts several tokens, and last_token_logits gives the logits of one: switch one of them off.</source>
      <translation>early_exit entwirft mehrere Tokens, und last_token_logits gibt die Logits von einem: eines davon abschalten.</translation>
    </message>
    <message>
      <source>early_exit drafts with the first layers of a decoder that reads text alone, which {0} is not: leave early_exit out.</source>
      <translation>early_exit entwirft mit den ersten Schichten eines Decoders, der allein Text liest, was {0} nicht ist: early_exit weglassen.</translation>
    </message>
    <message>
      <source>early_exit {0} skips none of the model's {1} layers: choose fewer.</source>
      <translation>early_exit {0} überspringt keine der {1} Schichten des Modells: weniger wählen.</translation>
    </message>
    <message>
      <source>ended without a result</source>
      <translation>endete ohne Ergebnis</translation>
    </message>
    <message>
      <source>exclude and nodes both name {0}: name it in one of them</source>
      <translation>exclude und nodes nennen beide {0}: es in einem von beiden nennen</translation>
    </message>
    <message>
      <source>fast_prefill decides how the prefill is quantized: leave quantize.components.prefill out.</source>
      <translation>fast_prefill entscheidet, wie Prefill quantisiert wird: quantize.components.prefill weglassen.</translation>
    </message>
    <message>
      <source>fast_prefill goes with int4, than which its products are finer, and not with {0}.</source>
      <translation>fast_prefill passt zu int4, gegenüber dem seine Produkte feiner sind, und nicht zu {0}.</translation>
    </message>
    <message>
      <source>fp32 leaves every weight unchanged</source>
      <translation>fp32 lässt jedes Gewicht unverändert</translation>
    </message>
    <message>
      <source>get it again</source>
      <translation>ihn erneut holen</translation>
    </message>
    <message>
      <source>give a text file with a prompt a line in quantize.calibration.prompts</source>
      <translation>eine Textdatei mit einer Eingabe je Zeile in quantize.calibration.prompts angeben</translation>
    </message>
    <message>
      <source>give one with a tokenizer.json</source>
      <translation>einen mit tokenizer.json angeben</translation>
    </message>
    <message>
      <source>graphs of fixed shapes are for providers that may lack GroupQueryAttention</source>
      <translation>Graphen fester Formen sind für Provider, denen GroupQueryAttention fehlen kann</translation>
    </message>
    <message>
      <source>held by {0}</source>
      <translation>belegt durch {0}</translation>
    </message>
    <message>
      <source>is a SentencePiece model without pieces</source>
      <translation>ist ein SentencePiece-Modell ohne Teile</translation>
    </message>
    <message>
      <source>is not a SentencePiece model</source>
      <translation>ist kein SentencePiece-Modell</translation>
    </message>
    <message>
      <source>it cannot be opened</source>
      <translation>sie kann nicht geöffnet werden</translation>
    </message>
    <message>
      <source>it cannot be written</source>
      <translation>er kann nicht beschrieben werden</translation>
    </message>
    <message>
      <source>it computes in float32 and float16 only</source>
      <translation>es rechnet nur in float32 und float16</translation>
    </message>
    <message>
      <source>it ends before its header does, so it is cut short</source>
      <translation>sie endet vor ihrem Kopf, ist also abgeschnitten</translation>
    </message>
    <message>
      <source>it fails on MatMuls whose activations are quantized at every run</source>
      <translation>es scheitert an MatMuls, deren Aktivierungen bei jedem Lauf quantisiert werden</translation>
    </message>
    <message>
      <source>it has no DynamicQuantizeMatMul and would leave every MatMul to the CPU provider</source>
      <translation>es hat kein DynamicQuantizeMatMul und würde jedes MatMul dem CPU-Provider überlassen</translation>
    </message>
    <message>
      <source>it has no GatherBlockQuantized, which reads a quantized embedding</source>
      <translation>es hat kein GatherBlockQuantized, das ein quantisiertes Embedding liest</translation>
    </message>
    <message>
      <source>it has no GroupQueryAttention, and fails where the CPU runs parts of a graph</source>
      <translation>es hat kein GroupQueryAttention und scheitert, wo die CPU Teile eines Graphen ausführt</translation>
    </message>
    <message>
      <source>it has no TensorScatter, which writes that cache in place</source>
      <translation>es hat kein TensorScatter, das diesen Cache an seiner Stelle schreibt</translation>
    </message>
    <message>
      <source>it has no bfloat16, and leaves such nodes to the CPU provider, which has none either</source>
      <translation>es hat kein bfloat16 und überlässt solche Knoten dem CPU-Provider, der auch keins hat</translation>
    </message>
    <message>
      <source>it holds {0} bytes that belong to no tensor</source>
      <translation>sie enthält {0} Bytes, die zu keinem Tensor gehören</translation>
    </message>
    <message>
      <source>it is a setting of one old model</source>
      <translation>es ist eine Einstellung eines alten Modells</translation>
    </message>
    <message>
      <source>it quantizes activations to 8 bits at most, not to 16</source>
      <translation>es quantisiert Aktivierungen auf höchstens 8 Bit, nicht auf 16</translation>
    </message>
    <message>
      <source>it takes fixed shapes only, and a single graph for every length has dynamic ones</source>
      <translation>es nimmt nur feste Formen an, und ein einziger Graph für jede Länge hat dynamische</translation>
    </message>
    <message>
      <source>it takes the weights in float32, {0}</source>
      <translation>es braucht die Gewichte in float32, {0}</translation>
    </message>
    <message>
      <source>it takes {0} GB in transformers, and {1} GB of memory are free</source>
      <translation>es braucht in transformers {0} GB, und {1} GB Speicher sind frei</translation>
    </message>
    <message>
      <source>its GroupQueryAttention applies no rotary positions and no windows, and treats the cache as empty in every run of more than one token, so a prompt's second chunk would be wrong</source>
      <translation>sein GroupQueryAttention wendet keine Drehpositionen und keine Fenster an und behandelt den Cache in jedem Lauf mit mehr als einem Token als leer, also wäre der zweite Abschnitt einer Eingabe falsch</translation>
    </message>
    <message>
      <source>its MatMulNBits needs zero points</source>
      <translation>sein MatMulNBits braucht Nullpunkte</translation>
    </message>
    <message>
      <source>its attention is its own code, which does not write a cache in place</source>
      <translation>seine Attention ist eigener Code, der keinen Cache an seiner Stelle schreibt</translation>
    </message>
    <message>
      <source>its constants are not those of Gelu</source>
      <translation>seine Konstanten sind nicht die von Gelu</translation>
    </message>
    <message>
      <source>its data ends before the tensor '{0}' does, so it is cut short</source>
      <translation>ihre Daten enden vor dem Tensor „{0}“, sie ist also abgeschnitten</translation>
    </message>
    <message>
      <source>its header is larger than {0} MB</source>
      <translation>ihr Kopf ist größer als {0} MB</translation>
    </message>
    <message>
      <source>its header is not JSON</source>
      <translation>ihr Kopf ist kein JSON</translation>
    </message>
    <message>
      <source>its learned position bias needs left-aligned slots, which a ring buffer does not keep</source>
      <translation>sein gelernter Positions-Bias braucht linksbündige Plätze, die ein Ringpuffer nicht behält</translation>
    </message>
    <message>
      <source>its metadata is not an object of strings</source>
      <translation>ihre Metadaten sind kein Objekt aus Texten</translation>
    </message>
    <message>
      <source>its pictures are cropped by crop_pct</source>
      <translation>seine Bilder werden nach crop_pct zugeschnitten</translation>
    </message>
    <message>
      <source>its pictures are not cropped</source>
      <translation>seine Bilder werden nicht zugeschnitten</translation>
    </message>
    <message>
      <source>its pictures are not padded</source>
      <translation>seine Bilder werden nicht aufgefüllt</translation>
    </message>
    <message>
      <source>its pictures are scaled alone</source>
      <translation>seine Bilder werden allein skaliert</translation>
    </message>
    <message>
      <source>its pictures are scaled without antialiasing</source>
      <translation>seine Bilder werden ohne Kantenglättung skaliert</translation>
    </message>
    <message>
      <source>its products were not tried with the blocks of integers that checkpoints bring</source>
      <translation>seine Produkte wurden nicht mit den Ganzzahlblöcken erprobt, die Checkpoints mitbringen</translation>
    </message>
    <message>
      <source>its tensor '{0}'</source>
      <translation>ihr Tensor „{0}“</translation>
    </message>
    <message>
      <source>its tensor '{0}' has a size that contradicts its shape</source>
      <translation>ihr Tensor „{0}“ hat eine Größe, die seiner Form widerspricht</translation>
    </message>
    <message>
      <source>its tensor '{0}' has the dtype '{1}'</source>
      <translation>ihr Tensor „{0}“ hat den Datentyp „{1}“</translation>
    </message>
    <message>
      <source>labels of tokens</source>
      <translation>Labels von Tokens</translation>
    </message>
    <message>
      <source>leave it out</source>
      <translation>weglassen</translation>
    </message>
    <message>
      <source>leaves a gap before it</source>
      <translation>lässt davor eine Lücke</translation>
    </message>
    <message>
      <source>models take pictures of certain sizes</source>
      <translation>Modelle nehmen Bilder bestimmter Größen</translation>
    </message>
    <message>
      <source>models take the channels first</source>
      <translation>Modelle nehmen zuerst die Kanäle</translation>
    </message>
    <message>
      <source>negative_prompt has no effect without guidance: set guidance as well</source>
      <translation>negative_prompt wirkt nicht ohne guidance: auch guidance setzen</translation>
    </message>
    <message>
      <source>nothing reads {0}</source>
      <translation>nichts liest {0}</translation>
    </message>
    <message>
      <source>numbers other than 0</source>
      <translation>Zahlen außer 0</translation>
    </message>
    <message>
      <source>of the kind {0}</source>
      <translation>der Art {0}</translation>
    </message>
    <message>
      <source>of the models that read pictures or sound beside text, Joinery builds {0} and whisper</source>
      <translation>von den Modellen, die neben Text Bilder oder Ton lesen, baut Joinery {0} und whisper</translation>
    </message>
    <message>
      <source>of the type {0}</source>
      <translation>der Art {0}</translation>
    </message>
    <message>
      <source>only a decoder without an encoder has one</source>
      <translation>nur ein Decoder ohne Encoder hat eine</translation>
    </message>
    <message>
      <source>only {0} can be used</source>
      <translation>nur {0} ist möglich</translation>
    </message>
    <message>
      <source>onnxruntime cannot open {0}: {1}</source>
      <translation>onnxruntime kann {0} nicht öffnen: {1}</translation>
    </message>
    <message>
      <source>onnxruntime failed on these inputs: {0}</source>
      <translation>onnxruntime scheiterte an diesen Eingaben: {0}</translation>
    </message>
    <message>
      <source>onnxruntime-openvino in its own environment</source>
      <translation>onnxruntime-openvino in einer eigenen Umgebung</translation>
    </message>
    <message>
      <source>open a checkpoint that was made for it</source>
      <translation>einen Checkpoint öffnen, der dafür gemacht wurde</translation>
    </message>
    <message>
      <source>open the bundle with a smaller capacity, or build one of a lower precision</source>
      <translation>das Bundle mit einer kleineren Kapazität öffnen oder eines mit niedrigerer Präzision bauen</translation>
    </message>
    <message>
      <source>or build nevertheless with --ignore-estimate</source>
      <translation>oder mit --ignore-estimate dennoch bauen</translation>
    </message>
    <message>
      <source>overlaps the tensor before it</source>
      <translation>überlappt den Tensor davor</translation>
    </message>
    <message>
      <source>passes must map pass names to true or false.</source>
      <translation>passes muss Namen von Durchgängen auf true oder false abbilden.</translation>
    </message>
    <message>
      <source>pictures are not padded to a size</source>
      <translation>Bilder werden nicht auf eine Größe aufgefüllt</translation>
    </message>
    <message>
      <source>pip could not install the build part: {0}</source>
      <translation>pip konnte den Teil zum Bauen nicht installieren: {0}</translation>
    </message>
    <message>
      <source>pip could not {0}: {1}</source>
      <translation>pip konnte nicht {0}: {1}</translation>
    </message>
    <message>
      <source>png, jpeg, webp, gif, bmp or tiff</source>
      <translation>png, jpeg, webp, gif, bmp oder tiff</translation>
    </message>
    <message>
      <source>positive whole numbers</source>
      <translation>positive ganze Zahlen</translation>
    </message>
    <message>
      <source>preprocessor_config.json of the bundle makes {0} numbers of the picture, and the graph takes {1}: correct the checkpoint's file and build the bundle again.</source>
      <translation>preprocessor_config.json des Bundles macht {0} Zahlen aus dem Bild, und der Graph nimmt {1}: die Datei des Checkpoints berichtigen und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>process {0} on {1}</source>
      <translation>Prozess {0} auf {1}</translation>
    </message>
    <message>
      <source>quantizing the weights</source>
      <translation>Gewichte werden quantisiert</translation>
    </message>
    <message>
      <source>signal SIGKILL, with which the system ends what takes too much memory</source>
      <translation>Signal SIGKILL, mit dem das System beendet, was zu viel Speicher braucht</translation>
    </message>
    <message>
      <source>source_length is the length of an encoder, and {0} has none: leave it out.</source>
      <translation>source_length ist die Länge eines Encoders, und {0} hat keinen: weglassen.</translation>
    </message>
    <message>
      <source>take a smaller checkpoint</source>
      <translation>einen kleineren Checkpoint nehmen</translation>
    </message>
    <message>
      <source>that name no image_processor_type</source>
      <translation>die keinen image_processor_type nennen</translation>
    </message>
    <message>
      <source>the bundle has no tokenizer to read a text with</source>
      <translation>das Bundle hat keinen Tokenizer, um einen Text zu lesen</translation>
    </message>
    <message>
      <source>the bundle's manifest lists no file {0}</source>
      <translation>das Manifest des Bundles führt keine Datei {0}</translation>
    </message>
    <message>
      <source>the graph keeps no cache</source>
      <translation>der Graph hat keinen Cache</translation>
    </message>
    <message>
      <source>the list of files</source>
      <translation>die Liste der Dateien</translation>
    </message>
    <message>
      <source>the model attends within chunks of the text, and GroupQueryAttention within windows alone</source>
      <translation>das Modell sieht innerhalb von Abschnitten des Textes, und GroupQueryAttention nur innerhalb von Fenstern</translation>
    </message>
    <message>
      <source>the model computes its keys and values from latent vectors, and GroupQueryAttention attends to cached keys</source>
      <translation>das Modell berechnet Keys und Values aus latenten Vektoren, und GroupQueryAttention greift auf gespeicherte Keys zu</translation>
    </message>
    <message>
      <source>the model generates no tokens</source>
      <translation>das Modell erzeugt keine Tokens</translation>
    </message>
    <message>
      <source>the name of a rule</source>
      <translation>der Name einer Regel</translation>
    </message>
    <message>
      <source>the places of a picture attend to each other, and a window may have lost some of them</source>
      <translation>die Stellen eines Bildes sehen einander, und ein Fenster kann einige davon verloren haben</translation>
    </message>
    <message>
      <source>the plain variant</source>
      <translation>die Variante plain</translation>
    </message>
    <message>
      <source>the preset {0} is in {1}, not in {2}: choose one of them</source>
      <translation>die Vorgabe {0} ist in {1}, nicht in {2}: eines davon wählen</translation>
    </message>
    <message>
      <source>the recipe excludes it</source>
      <translation>das Rezept schließt ihn aus</translation>
    </message>
    <message>
      <source>the target is {0}, and {1}</source>
      <translation>das Ziel ist {0}, und {1}</translation>
    </message>
    <message>
      <source>the tokenizer knows none of the texts to measure with</source>
      <translation>der Tokenizer kennt keinen der Messtexte</translation>
    </message>
    <message>
      <source>the tokens of a prompt attend to each other, and a window may have lost some of them</source>
      <translation>die Tokens einer Eingabe sehen einander, und ein Fenster kann einige davon verloren haben</translation>
    </message>
    <message>
      <source>the transcript of a window of sound ends before the table of its positions does</source>
      <translation>die Abschrift eines Tonfensters endet vor der Tabelle seiner Positionen</translation>
    </message>
    <message>
      <source>the weight {0} is shared with another node</source>
      <translation>das Gewicht {0} gehört auch einem anderen Knoten</translation>
    </message>
    <message>
      <source>the {0}s are of different types</source>
      <translation>die {0}s sind von verschiedenen Typen</translation>
    </message>
    <message>
      <source>this model keeps no cache</source>
      <translation>dieses Modell hat keinen Cache</translation>
    </message>
    <message>
      <source>took longer than {0} s of computing and was ended</source>
      <translation>rechnete länger als {0} s und wurde beendet</translation>
    </message>
    <message>
      <source>took more than {0} MiB of memory and was ended</source>
      <translation>brauchte mehr als {0} MiB Speicher und wurde beendet</translation>
    </message>
    <message>
      <source>transformers is the reference for decoders of text alone</source>
      <translation>transformers ist die Referenz nur für Decoder von Text</translation>
    </message>
    <message>
      <source>true or false</source>
      <translation>true oder false</translation>
    </message>
    <message>
      <source>trying a chunk and a step</source>
      <translation>ein Abschnitt und ein Schritt werden erprobt</translation>
    </message>
    <message>
      <source>uses slots as positions, which a window reassigns</source>
      <translation>verwendet Plätze als Positionen, die ein Fenster neu vergibt</translation>
    </message>
    <message>
      <source>w8a16 is for NPUs: on the CPU provider its integers are about 13 × slower than fp32, so it is opened there in floating point, at the speed of fp32; for the CPU, int8 or int4 serve better.</source>
      <translation>w8a16 ist für NPUs: auf dem CPU-Provider sind seine Ganzzahlen etwa 13-mal langsamer als fp32, also wird es dort in Gleitkomma geöffnet, so schnell wie fp32; für die CPU eignen sich int8 oder int4 besser.</translation>
    </message>
    <message>
      <source>w8a16 is made for NPUs: the CPU provider computes {0} in float32 with every number on its 16-bit grid, so the results are those of the quantized model, but speed and memory are not.</source>
      <translation>w8a16 ist für NPUs gemacht: der CPU-Provider rechnet {0} in float32 mit jeder Zahl auf ihrem 16-Bit-Raster, also sind die Ergebnisse die des quantisierten Modells, Tempo und Speicher aber nicht.</translation>
    </message>
    <message>
      <source>whose config.json has the part {0}</source>
      <translation>dessen config.json den Teil {0} hat</translation>
    </message>
    <message>
      <source>with --cache static</source>
      <translation>mit --cache static</translation>
    </message>
    <message>
      <source>writing the weights</source>
      <translation>Gewichte werden geschrieben</translation>
    </message>
    <message>
      <source>{0} MiB are free</source>
      <translation>{0} MiB sind frei</translation>
    </message>
    <message>
      <source>{0} already holds a bundle: choose another --out, or replace it with --force.</source>
      <translation>{0} enthält schon ein Bundle: ein anderes --out wählen oder es mit --force ersetzen.</translation>
    </message>
    <message>
      <source>{0} applies to beam search: set num_beams above 1, or leave it out</source>
      <translation>{0} gilt für die Beam-Suche: num_beams über 1 setzen oder es weglassen</translation>
    </message>
    <message>
      <source>{0} cannot be built as {1}: only a decoder without an encoder can.</source>
      <translation>{0} kann nicht als {1} gebaut werden: das kann nur ein Decoder ohne Encoder.</translation>
    </message>
    <message>
      <source>{0} cannot be built for the task {1}: choose {2}.</source>
      <translation>{0} kann für die Aufgabe {1} nicht gebaut werden: {2} wählen.</translation>
    </message>
    <message>
      <source>{0} cannot be compiled for {1}: {2}</source>
      <translation>{0} kann nicht für {1} übersetzt werden: {2}</translation>
    </message>
    <message>
      <source>{0} cannot be read: the process that read it {1}.</source>
      <translation>{0} kann nicht gelesen werden: der lesende Prozess {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be read: {1}.</source>
      <translation>{0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be used: {1} {2}</source>
      <translation>{0} kann nicht verwendet werden: {1} {2}</translation>
    </message>
    <message>
      <source>{0} cannot expose {1}: only a decoder that reads text alone can.</source>
      <translation>{0} kann {1} nicht ausgeben: das kann nur ein Decoder, der allein Text liest.</translation>
    </message>
    <message>
      <source>{0} cannot run this bundle's gqa cache: {1}; build with the target {2}, or use the cpu provider.</source>
      <translation>{0} kann den gqa-Cache dieses Bundles nicht ausführen: {1}; mit dem Ziel {2} bauen oder den CPU-Provider verwenden.</translation>
    </message>
    <message>
      <source>{0} computes in float32.</source>
      <translation>{0} rechnet in float32.</translation>
    </message>
    <message>
      <source>{0} contains a name that is not valid UTF-8, so it is damaged: get it again.</source>
      <translation>{0} enthält einen Namen, der kein gültiges UTF-8 ist, ist also beschädigt: die Datei erneut holen.</translation>
    </message>
    <message>
      <source>{0} does not compile {1}: {2}</source>
      <translation>{0} übersetzt {1} nicht: {2}</translation>
    </message>
    <message>
      <source>{0} does not respond like the hub; check HF_ENDPOINT and the connection.</source>
      <translation>{0} antwortet nicht wie der Hub; HF_ENDPOINT und die Verbindung prüfen.</translation>
    </message>
    <message>
      <source>{0} does not state its length: convert it to wav.</source>
      <translation>{0} nennt ihre Länge nicht: in wav umwandeln.</translation>
    </message>
    <message>
      <source>{0} does not take the compiled context {1}: compile anew with `joinery compile`, or remove its folder ({2}).</source>
      <translation>{0} nimmt den kompilierten Kontext {1} nicht an: mit `joinery compile` neu kompilieren oder seinen Ordner entfernen ({2}).</translation>
    </message>
    <message>
      <source>{0} exists and is not a folder: choose another --out.</source>
      <translation>{0} existiert und ist kein Ordner: ein anderes --out wählen.</translation>
    </message>
    <message>
      <source>{0} finds no device that it can use on this machine.</source>
      <translation>{0} findet auf diesem Rechner kein Gerät, das es verwenden kann.</translation>
    </message>
    <message>
      <source>{0} gives features that are off by {1} of the CPU provider's {2}.</source>
      <translation>{0} ergibt Merkmale, die um {1} von {2} des CPU-Providers abweichen.</translation>
    </message>
    <message>
      <source>{0} gives {1} and not one score of a pair: rank takes a reranker, whose model has one label.</source>
      <translation>{0} gibt {1} und nicht eine Wertung je Paar: zum Ordnen braucht es einen Reranker, dessen Modell ein Label hat.</translation>
    </message>
    <message>
      <source>{0} has 8-bit Quantize and Dequantize.</source>
      <translation>{0} hat Quantize und Dequantize mit 8 Bit.</translation>
    </message>
    <message>
      <source>{0} has a NUL character, which no text has: take it out.</source>
      <translation>{0} hat ein NUL-Zeichen, das kein Text hat: es entfernen.</translation>
    </message>
    <message>
      <source>{0} has a sample that is not finite or too large, at {1} seconds: export it again.</source>
      <translation>{0} hat bei {1} Sekunden einen Wert, der nicht endlich oder zu groß ist: erneut exportieren.</translation>
    </message>
    <message>
      <source>{0} has a sampling rate of {1} Hz: rates from {2} to {3} Hz can be read.</source>
      <translation>{0} hat eine Abtastrate von {1} Hz: Raten von {2} bis {3} Hz können gelesen werden.</translation>
    </message>
    <message>
      <source>{0} has another Joinery: install the same version on both.</source>
      <translation>{0} hat ein anderes Joinery: auf beiden dieselbe Version installieren.</translation>
    </message>
    <message>
      <source>{0} has far more than the {1} pixels that are read: scale it down.</source>
      <translation>{0} hat weit mehr als die {1} Pixel, die gelesen werden: es verkleinern.</translation>
    </message>
    <message>
      <source>{0} has its config.json in 0_Transformer and lacks modules.json, which states the steps after it: get that file as well, or open 0_Transformer alone.</source>
      <translation>{0} hat seine config.json in 0_Transformer, und modules.json mit den Schritten danach fehlt: auch diese Datei holen oder 0_Transformer allein öffnen.</translation>
    </message>
    <message>
      <source>{0} has more than 8 bits per pixel, and what is brighter than 255 becomes white: convert it first.</source>
      <translation>{0} hat mehr als 8 Bit je Pixel, und was heller als 255 ist, wird weiß: es zuerst umwandeln.</translation>
    </message>
    <message>
      <source>{0} has more than {1} bytes, which no pipeline needs: restore the file.</source>
      <translation>{0} hat mehr als {1} Bytes, die keine Pipeline braucht: die Datei wiederherstellen.</translation>
    </message>
    <message>
      <source>{0} has no config.json, so it is not a checkpoint; give the folder that holds it.</source>
      <translation>{0} hat keine config.json, ist also kein Checkpoint; den Ordner angeben, der sie enthält.</translation>
    </message>
    <message>
      <source>{0} has no kernel for {1} in the number format of {2} in {3}: run the bundle on another provider, or build it with another precision.</source>
      <translation>{0} hat keinen Kernel für {1} im Zahlenformat von {2} in {3}: das Bundle auf einem anderen Provider ausführen oder mit anderer Genauigkeit bauen.</translation>
    </message>
    <message>
      <source>{0} has no revision '{1}' on the hub; check it or leave it out.</source>
      <translation>{0} hat auf dem Hub keine Revision „{1}“; sie prüfen oder weglassen.</translation>
    </message>
    <message>
      <source>{0} has no room: the model reads {1} tokens, special ones included.</source>
      <translation>{0} hat keinen Platz: das Modell liest {1} Tokens, besondere eingeschlossen.</translation>
    </message>
    <message>
      <source>{0} has no token beside special ones ({1}): give a text.</source>
      <translation>{0} hat kein Token außer besonderen ({1}): einen Text angeben.</translation>
    </message>
    <message>
      <source>{0} has no {1} in its manifest: build the bundle anew.</source>
      <translation>{0} hat kein {1} im Manifest: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} has no {1}/tokenizer.json, so it reads no text.</source>
      <translation>{0} hat keine {1}/tokenizer.json, liest also keinen Text.</translation>
    </message>
    <message>
      <source>{0} has no {1}config.json on the hub, so it is not a checkpoint; check the name.</source>
      <translation>{0} hat auf dem Hub keine {1}config.json und ist also kein Checkpoint; den Namen prüfen.</translation>
    </message>
    <message>
      <source>{0} has the operator DynamicQuantizeMatMul.</source>
      <translation>{0} hat den Operator DynamicQuantizeMatMul.</translation>
    </message>
    <message>
      <source>{0} has the operator MatMulNBits, for blocks of 32, 64 and 128.</source>
      <translation>{0} hat den Operator MatMulNBits für Blöcke von 32, 64 und 128.</translation>
    </message>
    <message>
      <source>{0} has the operator MatMulNBits, for blocks of 32.</source>
      <translation>{0} hat den Operator MatMulNBits für Blöcke von 32.</translation>
    </message>
    <message>
      <source>{0} has the operator MatMulNBits.</source>
      <translation>{0} hat den Operator MatMulNBits.</translation>
    </message>
    <message>
      <source>{0} has the setting {1} = {2}, which is not known: what it changes would be missed.</source>
      <translation>{0} hat die Einstellung {1} = {2}, die nicht bekannt ist: was sie ändert, würde fehlen.</translation>
    </message>
    <message>
      <source>{0} has the shape {1} and the graph takes [{2}].</source>
      <translation>{0} hat die Form {1}, und der Graph nimmt [{2}].</translation>
    </message>
    <message>
      <source>{0} has unprintable characters, so it is not a checkpoint: give a folder, demo:NAME, or a model's name on the hub.</source>
      <translation>{0} hat nicht druckbare Zeichen und ist also kein Checkpoint: einen Ordner, demo:NAME oder den Namen eines Modells auf dem Hub angeben.</translation>
    </message>
    <message>
      <source>{0} has weights of {1} that must be in memory, and at most {2} can be freed: close other programs, or build it with fewer bits.</source>
      <translation>{0} hat Gewichte von {1}, die in den Speicher müssen, und höchstens {2} lassen sich freigeben: andere Programme schließen oder es mit weniger Bit bauen.</translation>
    </message>
    <message>
      <source>{0} has {1} = {2} and needs {3}.</source>
      <translation>{0} hat {1} = {2} und braucht {3}.</translation>
    </message>
    <message>
      <source>{0} has {1} = {2}, and {3}: {4}.</source>
      <translation>{0} hat {1} = {2}, und {3}: {4}.</translation>
    </message>
    <message>
      <source>{0} has {1} in the axis {2} and {3} has {4}: make them equal.</source>
      <translation>{0} hat {1} in der Achse {2}, und {3} hat {4}: sie gleich machen.</translation>
    </message>
    <message>
      <source>{0} has {1} tokens, and the model reads {2}: the rest was left out.</source>
      <translation>{0} hat {1} Tokens, und das Modell liest {2}: der Rest wurde weggelassen.</translation>
    </message>
    <message>
      <source>{0} has {1} × {2} pixels, and at most {3} are read: scale it down.</source>
      <translation>{0} hat {1} × {2} Pixel, und höchstens {3} werden gelesen: verkleinern.</translation>
    </message>
    <message>
      <source>{0} holds a bundle and {1}, which its manifest does not list: choose another --out, or move that file away.</source>
      <translation>{0} enthält ein Bundle und {1}, das sein Manifest nicht führt: ein anderes --out wählen oder diese Datei verschieben.</translation>
    </message>
    <message>
      <source>{0} holds files and is not a bundle: choose another --out, or empty it yourself.</source>
      <translation>{0} enthält Dateien und ist kein Bundle: ein anderes --out wählen oder den Ordner selbst leeren.</translation>
    </message>
    <message>
      <source>{0} holds graphs of onnxruntime-genai, which are built already: `joinery import {1} --out DIR` makes a bundle of them.</source>
      <translation>{0} enthält Graphen von onnxruntime-genai, die schon gebaut sind: `joinery import {1} --out DIR` macht daraus ein Bundle.</translation>
    </message>
    <message>
      <source>{0} holds no sound: its length is zero.</source>
      <translation>{0} enthält keinen Ton: die Länge ist null.</translation>
    </message>
    <message>
      <source>{0} holds one array without a name: save it with numpy.savez.</source>
      <translation>{0} enthält ein Array ohne Namen: es mit numpy.savez speichern.</translation>
    </message>
    <message>
      <source>{0} holds pointers of Git LFS in the place of '{1}'{2}: run `git lfs pull` in that folder, and open it again.</source>
      <translation>{0} enthält Zeiger von Git LFS anstelle von „{1}“{2}: in dem Ordner `git lfs pull` ausführen und ihn wieder öffnen.</translation>
    </message>
    <message>
      <source>{0} holds several pictures, such as the frames of an animation: the first one is used.</source>
      <translation>{0} enthält mehrere Bilder, etwa die einer Animation: das erste wird verwendet.</translation>
    </message>
    <message>
      <source>{0} in {1} has {2} bytes instead of {3}: restore the file or build the bundle anew.</source>
      <translation>{0} in {1} hat {2} Bytes statt {3}: die Datei wiederherstellen oder das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not UTF-8 text: build the bundle anew.</source>
      <translation>{0} in {1} ist kein UTF-8-Text: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} is a bundle, whose graphs are already built and possibly quantized: run it with `joinery generate {1}`, or build again from its original checkpoint.</source>
      <translation>{0} ist ein Bundle, dessen Graphen schon gebaut und vielleicht quantisiert sind: es mit `joinery generate {1}` ausführen oder aus seinem ursprünglichen Checkpoint neu bauen.</translation>
    </message>
    <message>
      <source>{0} is a file; give the folder that holds config.json and the weight files, or a model in GGUF (.gguf).</source>
      <translation>{0} ist eine Datei; den Ordner mit config.json und den Gewichten angeben, oder ein Modell in GGUF (.gguf).</translation>
    </message>
    <message>
      <source>{0} is a folder of onnxruntime-genai's without a manifest, so its files cannot be verified: import it with `joinery import` first.</source>
      <translation>{0} ist ein Ordner von onnxruntime-genai ohne Manifest, also können seine Dateien nicht geprüft werden: ihn zuerst mit `joinery import` importieren.</translation>
    </message>
    <message>
      <source>{0} is a folder of the hub's cache without a snapshot: download the model again.</source>
      <translation>{0} ist ein Ordner des Hub-Caches ohne Snapshot: das Modell erneut herunterladen.</translation>
    </message>
    <message>
      <source>{0} is a folder of the hub's cache: give its snapshot, `{1}`.</source>
      <translation>{0} ist ein Ordner aus dem Cache des Hubs: seinen Stand angeben, `{1}`.</translation>
    </message>
    <message>
      <source>{0} is an adapter and not a whole model: give its base with it, `joinery build {1} --adapter {2} --out DIR`.</source>
      <translation>{0} ist ein Adapter und kein ganzes Modell: seine Basis dazu angeben, `joinery build {1} --adapter {2} --out DIR`.</translation>
    </message>
    <message>
      <source>{0} is an adapter of mlx-lm and not a whole model: merge it with `mlx_lm.fuse --model {1} --adapter-path {2} --save-path DIR`, and open DIR.</source>
      <translation>{0} ist ein Adapter von mlx-lm und kein ganzes Modell: ihn mit `mlx_lm.fuse --model {1} --adapter-path {2} --save-path DIR` verschmelzen und DIR öffnen.</translation>
    </message>
    <message>
      <source>{0} is an adapter, and its base{1} is not on this machine: give the base beside it, `joinery build BASE --adapter {2} --out DIR`.</source>
      <translation>{0} ist ein Adapter, und seine Basis{1} ist nicht auf diesem Rechner: die Basis dazu angeben, `joinery build BASE --adapter {2} --out DIR`.</translation>
    </message>
    <message>
      <source>{0} is being built by {1}: wait for it or choose another --out.</source>
      <translation>{0} wird von {1} gebaut: darauf warten oder ein anderes --out wählen.</translation>
    </message>
    <message>
      <source>{0} is compiled for one provider, and {1} is another: open the graph that it was made of.</source>
      <translation>{0} ist für einen Provider kompiliert, und {1} ist ein anderer: den Graphen öffnen, aus dem es gemacht wurde.</translation>
    </message>
    <message>
      <source>{0} is cut off: {1} of its {2} seconds are there, so copy or download it again.</source>
      <translation>{0} ist abgeschnitten: {1} von {2} Sekunden sind da, also erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>{0} is damaged ({1}): build the bundle again.</source>
      <translation>{0} ist beschädigt ({1}): das Bundle noch einmal bauen.</translation>
    </message>
    <message>
      <source>{0} is damaged or cut off ({1}): copy or download it again.</source>
      <translation>{0} ist beschädigt oder abgeschnitten ({1}): neu kopieren oder laden.</translation>
    </message>
    <message>
      <source>{0} is damaged, has no pixels, or is not a picture that can be read: give a file of the kind {1}.</source>
      <translation>{0} ist beschädigt, hat keine Pixel oder ist kein lesbares Bild: eine Datei der Art {1} angeben.</translation>
    </message>
    <message>
      <source>{0} is damaged: build the bundle anew.</source>
      <translation>{0} ist beschädigt: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} is empty: give a picture file ({1}).</source>
      <translation>{0} ist leer: eine Bilddatei angeben ({1}).</translation>
    </message>
    <message>
      <source>{0} is empty: give a text.</source>
      <translation>{0} ist leer: einen Text angeben.</translation>
    </message>
    <message>
      <source>{0} is for a decoder without an encoder, and not for {1} as {2}.</source>
      <translation>{0} ist für einen Decoder ohne Encoder und nicht für {1} als {2}.</translation>
    </message>
    <message>
      <source>{0} is for graphs that take runs of any length: build with graphs=single.</source>
      <translation>{0} ist für Graphen, die Läufe jeder Länge annehmen: mit graphs=single bauen.</translation>
    </message>
    <message>
      <source>{0} is for the kernels of the CPU provider, and not for the target {1}.</source>
      <translation>{0} ist für die Kernel des CPU-Providers und nicht für das Ziel {1}.</translation>
    </message>
    <message>
      <source>{0} is gated: accept its terms on its page at {1}, {2}, and try again.</source>
      <translation>{0} ist geschützt: die Bedingungen auf seiner Seite bei {1} annehmen, {2}, und noch einmal versuchen.</translation>
    </message>
    <message>
      <source>{0} is missing beside it</source>
      <translation>{0} fehlt daneben</translation>
    </message>
    <message>
      <source>{0} is no .npz file of numbers ({1}): save the inputs with numpy.savez.</source>
      <translation>{0} ist keine .npz-Datei mit Zahlen ({1}): die Eingaben mit numpy.savez speichern.</translation>
    </message>
    <message>
      <source>{0} is no bundle: an fp32 one is built of it, and removed afterwards.</source>
      <translation>{0} ist kein Bundle: daraus wird eines in fp32 gebaut und danach entfernt.</translation>
    </message>
    <message>
      <source>{0} is not a bundle: it has no {1}. Build one with `joinery build`.</source>
      <translation>{0} ist kein Bundle: es hat kein {1}. Mit `joinery build` eines bauen.</translation>
    </message>
    <message>
      <source>{0} is not a prompt cache of Joinery.</source>
      <translation>{0} ist kein Prompt-Cache von Joinery.</translation>
    </message>
    <message>
      <source>{0} is not a sound file that can be read: give a file of the kind {1}.</source>
      <translation>{0} ist keine lesbare Tondatei: eine Datei der Art {1} angeben.</translation>
    </message>
    <message>
      <source>{0} is not an ONNX file, or is incomplete: download or export it again.</source>
      <translation>{0} ist keine ONNX-Datei oder unvollständig: neu laden oder exportieren.</translation>
    </message>
    <message>
      <source>{0} is not part of the installed onnxruntime {1}.</source>
      <translation>{0} gehört nicht zum installierten onnxruntime {1}.</translation>
    </message>
    <message>
      <source>{0} is not valid Unicode text: give it as UTF-8.</source>
      <translation>{0} ist kein gültiger Unicode-Text: ihn als UTF-8 angeben.</translation>
    </message>
    <message>
      <source>{0} is on a disk without file locks, which keep two builds apart: choose an --out on another disk.</source>
      <translation>{0} ist auf einem Datenträger ohne Dateisperren, die zwei Builds auseinanderhalten: ein --out auf einem anderen Datenträger wählen.</translation>
    </message>
    <message>
      <source>{0} is on this machine and has no revisions; leave the revision out.</source>
      <translation>{0} ist auf dieser Maschine und hat keine Revisionen; die Revision weglassen.</translation>
    </message>
    <message>
      <source>{0} is placed on the {1} provider.</source>
      <translation>{0} ist dem Provider {1} zugeteilt.</translation>
    </message>
    <message>
      <source>{0} is wrong in the recipe</source>
      <translation>{0} ist im Rezept falsch</translation>
    </message>
    <message>
      <source>{0} is {1} and the graph takes {2}: convert it first.</source>
      <translation>{0} ist {1}, und der Graph nimmt {2}: es zuerst umwandeln.</translation>
    </message>
    <message>
      <source>{0} is {1}: give a picture file ({2}).</source>
      <translation>{0} ist {1}: eine Bilddatei ({2}) angeben.</translation>
    </message>
    <message>
      <source>{0} is {1}: give a sound file ({2}).</source>
      <translation>{0} ist {1}: eine Tondatei angeben ({2}).</translation>
    </message>
    <message>
      <source>{0} lacks {1}: restore the file or build the bundle anew.</source>
      <translation>In {0} fehlt {1}: die Datei wiederherstellen oder das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} lasts {1} hours, and at most {2} are read: cut it into parts.</source>
      <translation>{0} dauert {1} Stunden, und höchstens {2} werden gelesen: in Teile schneiden.</translation>
    </message>
    <message>
      <source>{0} leaves {1} to the CPU provider; `joinery preflight` lists them with reasons.</source>
      <translation>{0} überlässt {1} dem CPU-Provider; `joinery preflight` nennt sie mit Gründen.</translation>
    </message>
    <message>
      <source>{0} makes no compiled contexts: its graphs are opened as they are.</source>
      <translation>{0} erzeugt keine übersetzten Kontexte: seine Graphen werden geöffnet, wie sie sind.</translation>
    </message>
    <message>
      <source>{0} names '{1}', which the hub does not have.</source>
      <translation>{0} nennt „{1}“, was der Hub nicht hat.</translation>
    </message>
    <message>
      <source>{0} names {1} labels and its graph gives {2}: correct metadata.classification in pipeline.json.</source>
      <translation>{0} nennt {1} Labels, und sein Graph gibt {2}: metadata.classification in pipeline.json berichtigen.</translation>
    </message>
    <message>
      <source>{0} names {1}, and this recipe divides the model into {2}.</source>
      <translation>{0} nennt {1}, und dieses Rezept teilt das Modell in {2}.</translation>
    </message>
    <message>
      <source>{0} needs left-aligned slots, unlike a ring buffer's: build with --cache static.</source>
      <translation>{0} braucht linksbündige Plätze, anders als die eines Ringpuffers: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>{0} needs the package {1}, which cannot be loaded ({2}): {3} --force-reinstall '{4}'.</source>
      <translation>{0} braucht das Paket {1}, das nicht geladen werden kann ({2}): {3} --force-reinstall '{4}'.</translation>
    </message>
    <message>
      <source>{0} needs the package {1}, which is not installed: {2} '{3}'.</source>
      <translation>{0} braucht das Paket {1}, das nicht installiert ist: {2} '{3}'.</translation>
    </message>
    <message>
      <source>{0} needs the part {1} of Joinery, whose package {2} is not installed: {3} 'joinery[{4}]'.</source>
      <translation>{0} braucht den Teil {1} von Joinery, dessen Paket {2} nicht installiert ist: {3} 'joinery[{4}]'.</translation>
    </message>
    <message>
      <source>{0} needs {1} GB, more than is free on the disk; free some space.</source>
      <translation>{0} braucht {1} GB, mehr als auf dem Datenträger frei ist; Platz schaffen.</translation>
    </message>
    <message>
      <source>{0} nodes run on the CPU provider.</source>
      <translation>{0} Knoten laufen auf dem CPU-Provider.</translation>
    </message>
    <message>
      <source>{0} of disk beside {1} ({2} free; {3} stay)</source>
      <translation>{0} Platz neben {1} ({2} frei; {3} bleiben)</translation>
    </message>
    <message>
      <source>{0} of {1} bytes arrived</source>
      <translation>{0} von {1} Bytes sind angekommen</translation>
    </message>
    <message>
      <source>{0} of {1} is not a JSON object: build the bundle again.</source>
      <translation>{0} von {1} ist kein JSON-Objekt: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} of {1} nodes of {2}</source>
      <translation>{0} von {1} Knoten von {2}</translation>
    </message>
    <message>
      <source>{0} of {1} {2}: build the bundle again.</source>
      <translation>{0} von {1} {2}: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} quantizes nothing of this model{1}; build it with --precision fp32.</source>
      <translation>{0} quantisiert nichts von diesem Modell{1}; es mit --precision fp32 bauen.</translation>
    </message>
    <message>
      <source>{0} reads {1} tokens, and its tokenizer puts {2} special ones around a text: no token of the text is left.</source>
      <translation>{0} liest {1} Tokens, und sein Tokenizer setzt {2} besondere um einen Text: kein Token des Textes bleibt übrig.</translation>
    </message>
    <message>
      <source>{0} states its pooling ({1}): leave --pooling and --normalize out.</source>
      <translation>{0} nennt sein Pooling ({1}): --pooling und --normalize weglassen.</translation>
    </message>
    <message>
      <source>{0} takes no node of {1}, so that all would run on the CPU: build with the target {2}, or use the cpu provider.</source>
      <translation>{0} nimmt keinen Knoten von {1}, sodass alle auf der CPU liefen: mit dem Ziel {2} bauen oder den CPU-Provider verwenden.</translation>
    </message>
    <message>
      <source>{0} takes no node of {1}, so that there is nothing to compile.</source>
      <translation>{0} nimmt keinen Knoten von {1}, also gibt es nichts zu übersetzen.</translation>
    </message>
    <message>
      <source>{0} takes no node of {1}.</source>
      <translation>{0} nimmt keinen Knoten von {1}.</translation>
    </message>
    <message>
      <source>{0} takes no {1} of texts and tokens, so its graph reads no texts.</source>
      <translation>{0} nimmt keine {1} aus Texten und Tokens, also liest sein Graph keine Texte.</translation>
    </message>
    <message>
      <source>{0} takes {1}, and a graph that reads a picture takes {2} alone.</source>
      <translation>{0} nimmt {1}, und ein Graph, der ein Bild liest, nimmt allein {2}.</translation>
    </message>
    <message>
      <source>{0} takes {1}, so its graph reads no texts.</source>
      <translation>{0} nimmt {1}, also liest sein Graph keine Texte.</translation>
    </message>
    <message>
      <source>{0} that {1} can be built for: choose one with --task: {2}.</source>
      <translation>{0}, für die {1} gebaut werden kann: eine mit --task wählen: {2}.</translation>
    </message>
    <message>
      <source>{0} tokens in {1} columns do not fit the cache of {2} after {3}: feed one token a step.</source>
      <translation>{0} Tokens in {1} Spalten passen hinter {3} nicht in den Cache von {2}: je Schritt ein Token eingeben.</translation>
    </message>
    <message>
      <source>{0} was built for {1}, so its graph gives no hidden states for a vector: build the checkpoint with --task feature-extraction.</source>
      <translation>{0} wurde für {1} gebaut, also gibt sein Graph keine verborgenen Zustände für einen Vektor: den Checkpoint mit --task feature-extraction bauen.</translation>
    </message>
    <message>
      <source>{0} was built for {1}, so its graph gives no labels: build a checkpoint for {2} or {3}.</source>
      <translation>{0} wurde für {1} gebaut, also gibt sein Graph keine Labels: einen Checkpoint für {2} oder {3} bauen.</translation>
    </message>
    <message>
      <source>{0} was built for {1}: give a bundle for {2}.</source>
      <translation>{0} wurde für {1} gebaut: ein Bundle für {2} angeben.</translation>
    </message>
    <message>
      <source>{0} was built from a checkpoint without modules.json, so its pooling is unknown: give --pooling as the model's page states it.</source>
      <translation>{0} wurde aus einem Checkpoint ohne modules.json gebaut, also ist sein Pooling unbekannt: --pooling angeben, wie es die Seite des Modells nennt.</translation>
    </message>
    <message>
      <source>{0} was saved from another model or cache layout: open the bundle it was saved from.</source>
      <translation>{0} wurde von einem anderen Modell oder Cache-Layout gespeichert: das Bundle öffnen, von dem er stammt.</translation>
    </message>
    <message>
      <source>{0} {1} is not in the vocabulary, whose ids go from 0 to {2}.</source>
      <translation>{0} {1} ist nicht im Vokabular, dessen IDs von 0 bis {2} gehen.</translation>
    </message>
    <message>
      <source>{0} {1}: build the bundle anew.</source>
      <translation>{0} {1}: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0}, and the disk has no room for them</source>
      <translation>{0}, und der Datenträger hat keinen Platz dafür</translation>
    </message>
    <message>
      <source>{0}, and writing them takes longer than a tenth of the build</source>
      <translation>{0}, und sie zu schreiben dauert länger als ein Zehntel des Builds</translation>
    </message>
    <message>
      <source>{0}, and {1} of memory are free</source>
      <translation>{0}, und {1} Arbeitsspeicher sind frei</translation>
    </message>
    <message>
      <source>{0}, and {1}: a capacity of {2} fits.</source>
      <translation>{0}, und {1}: eine Kapazität von {2} passt.</translation>
    </message>
    <message>
      <source>{0}, because transformers cannot load it: {1}.</source>
      <translation>{0}, denn transformers kann sie nicht laden: {1}.</translation>
    </message>
    <message>
      <source>{0}-bit weights in blocks</source>
      <translation>{0}-Bit-Gewichte in Blöcken</translation>
    </message>
    <message>
      <source>{0}/tokenizer.json cannot be read: {1}.</source>
      <translation>{0}/tokenizer.json kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>{0}: build with --cache static.</source>
      <translation>{0}: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>{0}: the cache is static, and the export restarts.</source>
      <translation>{0}: der Cache ist static, und der Export beginnt neu.</translation>
    </message>
    <message>
      <source>{0}: {1} This is a fault of Joinery: see the details.</source>
      <translation>{0}: {1} Das ist ein Fehler in Joinery: siehe die Einzelheiten.</translation>
    </message>
    <message>
      <source>{0}={1} is about a KV cache, and {2} has none: leave it out.</source>
      <translation>{0}={1} betrifft einen KV-Cache, und {2} hat keinen: weglassen.</translation>
    </message>
  </context>
</TS>

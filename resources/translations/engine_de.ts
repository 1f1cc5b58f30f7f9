<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
  <context>
    <name>joinery</name>
    <message>
      <source> (at worst {0} over other prompts)</source>
      <translation> (schlechtestenfalls {0} über andere Eingaben)</translation>
    </message>
    <message>
      <source> Its memory has no limit either: {0}.</source>
      <translation> Auch sein Speicher hat keine Grenze: {0}.</translation>
    </message>
    <message>
      <source> The CPU cannot run it either: {0}.</source>
      <translation> Auch die CPU kann es nicht ausführen: {0}.</translation>
    </message>
    <message>
      <source> The bundle alone has {0} merged: --adapter DIR merges it here, too.</source>
      <translation> Nur mit dem Bundle ist {0} verschmolzen: --adapter DIR verschmilzt es auch hier.</translation>
    </message>
    <message>
      <source> The file does not fit either, so each run reads some of it from the disk again.</source>
      <translation> Die Datei passt auch nicht hinein, also liest jeder Lauf einen Teil davon erneut vom Datenträger.</translation>
    </message>
    <message>
      <source> after the last layer</source>
      <translation> nach der letzten Schicht</translation>
    </message>
    <message>
      <source> with pictures or sound</source>
      <translation> mit Bildern oder Ton</translation>
    </message>
    <message>
      <source>'blocks' has the shape {0}, which are no blocks of 16 bytes</source>
      <translation>„blocks“ hat die Form {0}, was keine Blöcke von 16 Bytes sind</translation>
    </message>
    <message>
      <source>'config.json' has architectures that are not a list of class names; get it again.</source>
      <translation>„config.json“ hat architectures, die keine Liste von Klassennamen sind; sie erneut holen.</translation>
    </message>
    <message>
      <source>'config.json' has no model_type, so the model's architecture is unknown; get the checkpoint again, or one that transformers saved.</source>
      <translation>„config.json“ hat keinen model_type, also ist die Architektur des Modells unbekannt; den Checkpoint erneut holen, oder einen, den transformers gespeichert hat.</translation>
    </message>
    <message>
      <source>'g_idx' names a group that has no scale</source>
      <translation>„g_idx“ nennt eine Gruppe, die keine Skala hat</translation>
    </message>
    <message>
      <source>'qweight' has {0}, and 4 and 8 bits are read</source>
      <translation>„qweight“ hat {0}, und gelesen werden 4 und 8 Bit</translation>
    </message>
    <message>
      <source>'qzeros' holds {0}, which stands for the zero point {1} to AutoGPTQ and for 0 to GPTQModel, and config.json does not say which of them wrote it</source>
      <translation>„qzeros“ enthält {0}, was für AutoGPTQ den Nullpunkt {1} und für GPTQModel 0 bedeutet, und config.json sagt nicht, wer von beiden es schrieb</translation>
    </message>
    <message>
      <source>'scale' has {0} groups, which do not divide {1} inputs</source>
      <translation>„scale“ hat {0} Gruppen, die {1} Eingänge nicht teilen</translation>
    </message>
    <message>
      <source>'scales' has {0} groups where {1} inputs in groups of {2} need another</source>
      <translation>„scales“ hat {0} Gruppen, wo {1} Eingänge in Gruppen von {2} eine andere Zahl brauchen</translation>
    </message>
    <message>
      <source>'shape' is {0}, which is no matrix</source>
      <translation>'shape' ist {0}, und das ist keine Matrix</translation>
    </message>
    <message>
      <source>'weight' has the shape {0}, which are not 4 bits of {1} × {2}</source>
      <translation>„weight“ hat die Form {0}, was nicht 4 Bit von {1} × {2} sind</translation>
    </message>
    <message>
      <source>'weight_g_idx' has groups of several sizes</source>
      <translation>„weight_g_idx“ hat Gruppen verschiedener Größen</translation>
    </message>
    <message>
      <source>'weight_global_scale' is 0</source>
      <translation>„weight_global_scale“ ist 0</translation>
    </message>
    <message>
      <source>'weight_packed' has the shape {0}, which are neither 4 nor 8 bits of {1} × {2}</source>
      <translation>„weight_packed“ hat die Form {0}, was weder 4 noch 8 Bit von {1} × {2} sind</translation>
    </message>
    <message>
      <source>'weight_packed' has {0} columns, which are no groups of {1}</source>
      <translation>„weight_packed“ hat {0} Spalten, was keine Gruppen von {1} sind</translation>
    </message>
    <message>
      <source>'weight_shape' is no shape of a matrix</source>
      <translation>„weight_shape“ ist keine Form einer Matrix</translation>
    </message>
    <message>
      <source>'zero_point' has numbers that are no integers of {0} bits</source>
      <translation>„zero_point“ hat Zahlen, die keine ganzen Zahlen von {0} Bit sind</translation>
    </message>
    <message>
      <source>'{0}' cannot be built: {1}; get it again, or another quantization of the same model.</source>
      <translation>„{0}“ kann nicht gebaut werden: {1}; erneut holen oder eine andere Quantisierung desselben Modells.</translation>
    </message>
    <message>
      <source>'{0}' cannot be read ({1}); check its permissions.</source>
      <translation>„{0}“ kann nicht gelesen werden ({1}); die Rechte prüfen.</translation>
    </message>
    <message>
      <source>'{0}' does not hold the layer that its config.json states.</source>
      <translation>„{0}“ enthält nicht die Schicht, die seine config.json angibt.</translation>
    </message>
    <message>
      <source>'{0}' ends before its data does: get it again.</source>
      <translation>„{0}“ endet vor seinen Daten: erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' ends before the tensor '{1}' does: it has changed since it was opened; get it again.</source>
      <translation>„{0}“ endet vor dem Tensor „{1}“: die Datei hat sich seit dem Öffnen geändert; sie erneut holen.</translation>
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
      <source>'{0}' has prompts that are not names with texts; get it again.</source>
      <translation>„{0}“ hat prompts, die keine Namen mit Texten sind; erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' has the architecture {1}, which is not read from GGUF; there is: {2}. Build the model that it was made of by its name on the hub, `joinery build ORG/NAME --out DIR`.</source>
      <translation>„{0}“ hat die Architektur {1}, die nicht aus GGUF gelesen wird; es gibt: {2}. Das Modell, aus dem sie entstand, mit seinem Namen auf dem Hub bauen, `joinery build ORG/NAME --out DIR`.</translation>
    </message>
    <message>
      <source>'{0}' has the shape {1} where the others need {2}</source>
      <translation>„{0}“ hat die Form {1}, wo die anderen {2} brauchen</translation>
    </message>
    <message>
      <source>'{0}' has the shape {1}, which does not divide {2} × {3}</source>
      <translation>„{0}“ hat die Form {1}, die {2} × {3} nicht teilt</translation>
    </message>
    <message>
      <source>'{0}' has the shape {1}, which has not {2} axes</source>
      <translation>„{0}“ hat die Form {1}, die nicht {2} Achsen hat</translation>
    </message>
    <message>
      <source>'{0}' has {1} = {2}, not a number from 1; get it again.</source>
      <translation>„{0}“ hat {1} = {2}, keine Zahl ab 1; erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' has {1} for the id of a token; get it again.</source>
      <translation>„{0}“ hat {1} als ID eines Tokens; erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' has {1}, which Joinery does not compute and cannot leave out: the vectors would be those of another model.</source>
      <translation>„{0}“ hat {1}, was Joinery nicht berechnet und nicht weglassen kann: die Vektoren wären die eines anderen Modells.</translation>
    </message>
    <message>
      <source>'{0}' holds NaN or infinite values; get it again.</source>
      <translation>„{0}“ enthält NaN oder unendliche Werte; erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' holds integers of torchao beyond the {1} bits that its metadata say: get the checkpoint again.</source>
      <translation>„{0}“ enthält ganze Zahlen von torchao jenseits der {1} Bit, die seine Metadaten nennen: den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' holds no vocabulary, so the tokenizer is damaged; get it again.</source>
      <translation>„{0}“ enthält kein Vokabular, also ist der Tokenizer beschädigt; ihn erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' holds {1} and no tensors by name: {2}.</source>
      <translation>„{0}“ enthält {1} und keine Tensoren mit Namen: {2}.</translation>
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
      <source>'{0}' is a GGUF file {1}, and versions 2 and 3 in little-endian order are read: get the model in one of these.</source>
      <translation>„{0}“ ist eine GGUF-Datei {1}, und gelesen werden die Versionen 2 und 3 in Little-Endian-Reihenfolge: das Modell in einer davon holen.</translation>
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
      <source>'{0}' is a pickle of more than tensors, so it is refused: {1}.</source>
      <translation>„{0}“ ist ein Pickle von mehr als Tensoren und wird abgelehnt: {1}.</translation>
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
      <source>'{0}' is no list of modules with type and path; get the checkpoint again.</source>
      <translation>„{0}“ ist keine Liste von Modulen mit type und path; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' is no longer a regular file, so the checkpoint is refused.</source>
      <translation>„{0}“ ist keine gewöhnliche Datei mehr, also wird der Checkpoint abgelehnt.</translation>
    </message>
    <message>
      <source>'{0}' is not a GGUF file, for it does not begin as one: get it again, or give the checkpoint's folder.</source>
      <translation>„{0}“ ist keine GGUF-Datei, denn sie beginnt nicht wie eine: sie erneut holen oder den Ordner des Checkpoints angeben.</translation>
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
      <source>'{0}' is not one number</source>
      <translation>'{0}' ist nicht eine einzelne Zahl</translation>
    </message>
    <message>
      <source>'{0}' is of an unknown kind, so it cannot be used; get the checkpoint again.</source>
      <translation>„{0}“ ist von unbekannter Art und kann nicht verwendet werden; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' is stored in {1} and not in {2}</source>
      <translation>„{0}“ ist in {1} und nicht in {2} gespeichert</translation>
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
      <source>'{0}' lacks {1}: download the folder again.</source>
      <translation>In „{0}“ fehlt {1}: den Ordner erneut herunterladen.</translation>
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
      <source>'{0}' names the prompt {1}, which it does not have; get it again.</source>
      <translation>„{0}“ nennt den Prompt {1}, den es nicht hat; erneut holen.</translation>
    </message>
    <message>
      <source>'{0}' names {1} parts, which no model has; give another file.</source>
      <translation>„{0}“ nennt {1} Teile, die kein Modell hat; eine andere Datei angeben.</translation>
    </message>
    <message>
      <source>'{0}' of {1} is larger than {2} MiB.</source>
      <translation>„{0}“ von {1} ist größer als {2} MiB.</translation>
    </message>
    <message>
      <source>'{0}' says shape = {1} and block sizes {2}</source>
      <translation>„{0}“ sagt shape = {1} und Blockgrößen {2}</translation>
    </message>
    <message>
      <source>'{0}' says that it is part {1} of {2}, counted from 0, and its name says {3} of {4}: get all parts of one model, by their own names.</source>
      <translation>„{0}“ sagt, es sei Teil {1} von {2}, ab 0 gezählt, und sein Name sagt {3} von {4}: alle Teile eines Modells unter ihren eigenen Namen holen.</translation>
    </message>
    <message>
      <source>'{0}' sets {1} to '{2}', which would load something from outside the checkpoint's own files; remove that line if you trust the rest.</source>
      <translation>„{0}“ setzt {1} auf „{2}“, was etwas von außerhalb der Dateien des Checkpoints laden würde; diese Zeile entfernen, wenn dem Rest zu trauen ist.</translation>
    </message>
    <message>
      <source>'{0}' stores the tensor '{1}' in the form {2}, which is not read: get the model in another quantization, such as Q4_K_M or Q8_0.</source>
      <translation>„{0}“ speichert den Tensor „{1}“ in der Form {2}, die nicht gelesen wird: das Modell in einer anderen Quantisierung holen, etwa Q4_K_M oder Q8_0.</translation>
    </message>
    <message>
      <source>'{0}' wants to run '{1}', the code of another repository, which is refused; copy that code into the checkpoint's folder and name it there.</source>
      <translation>„{0}“ will „{1}“ ausführen, den Code eines anderen Repositorys, was abgelehnt wird; diesen Code in den Ordner des Checkpoints kopieren und dort nennen.</translation>
    </message>
    <message>
      <source>'{0}' wants to use {1}, which no weights need, so it is refused: {2}.</source>
      <translation>„{0}“ will {1} verwenden, was keine Gewichte brauchen, und wird abgelehnt: {2}.</translation>
    </message>
    <message>
      <source>'{0}' was saved on a big-endian machine: {1}.</source>
      <translation>„{0}“ wurde auf einem Big-Endian-Rechner gespeichert: {1}.</translation>
    </message>
    <message>
      <source>'{0}' {1}, so the checkpoint is damaged; copy or download it again.</source>
      <translation>„{0}“ {1}, also ist der Checkpoint beschädigt; ihn erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>'{0}' {1}, so the checkpoint is damaged; get it again.</source>
      <translation>„{0}“ {1}, also ist der Checkpoint beschädigt; ihn erneut holen.</translation>
    </message>
    <message>
      <source>, and it runs on the CPU</source>
      <translation>, und es läuft auf der CPU</translation>
    </message>
    <message>
      <source>, and the onnxruntime that it comes with reads it wrongly</source>
      <translation>, und das onnxruntime, mit dem es kommt, liest es falsch</translation>
    </message>
    <message>
      <source>, as an earlier build found</source>
      <translation>, wie ein früherer Bau fand</translation>
    </message>
    <message>
      <source>, since its graphs have no MatMul with a constant weight left</source>
      <translation>, da seine Graphen kein MatMul mit konstantem Gewicht mehr haben</translation>
    </message>
    <message>
      <source>, so that no reply ends by itself.</source>
      <translation>, sodass keine Antwort von selbst endet.</translation>
    </message>
    <message>
      <source>--adapter takes DIR or DIR=SCALE, and {0} after the last = is no number.</source>
      <translation>--adapter nimmt DIR oder DIR=SKALA, und {0} nach dem letzten = ist keine Zahl.</translation>
    </message>
    <message>
      <source>--guidance applies it to text models</source>
      <translation>--guidance wendet es auf Textmodelle an</translation>
    </message>
    <message>
      <source>--questions cannot be {0}: give 0 for none.</source>
      <translation>--questions kann nicht {0} sein: 0 für keine angeben.</translation>
    </message>
    <message>
      <source>--set takes KEY=VALUE, and {0} is not of that form.</source>
      <translation>--set nimmt SCHLÜSSEL=WERT, und {0} ist nicht von dieser Form.</translation>
    </message>
    <message>
      <source>--set {0} reaches into {1}, which another --set gives as a value.</source>
      <translation>--set {0} greift in {1}, das ein anderes --set als Wert angibt.</translation>
    </message>
    <message>
      <source>--steps must be at least 1, and {0} was given.</source>
      <translation>--steps muss mindestens 1 sein, und {0} wurde angegeben.</translation>
    </message>
    <message>
      <source>--suggest cannot be {0}: give 0 for none.</source>
      <translation>--suggest kann nicht {0} sein: 0 für keine angeben.</translation>
    </message>
    <message>
      <source>--{0} must be at least 1, and {1} was given.</source>
      <translation>--{0} muss mindestens 1 sein, und {1} wurde angegeben.</translation>
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
      <source>4-bit integers with zero points</source>
      <translation>4-Bit-Ganzzahlen mit Nullpunkten</translation>
    </message>
    <message>
      <source>4-bit weights</source>
      <translation>4-Bit-Gewichte</translation>
    </message>
    <message>
      <source>8-bit integers in blocks of a row</source>
      <translation>8-Bit-Ganzzahlen in Blöcken einer Zeile</translation>
    </message>
    <message>
      <source>8-bit integers, twice the numbers of E2M1, in blocks of {}</source>
      <translation>8-Bit-Ganzzahlen, das Doppelte der Zahlen von E2M1, in Blöcken von {}</translation>
    </message>
    <message>
      <source>8-bit products</source>
      <translation>8-Bit-Produkte</translation>
    </message>
    <message>
      <source>8-bit products for prompts</source>
      <translation>8-Bit-Produkte für Eingaben</translation>
    </message>
    <message>
      <source>8-bit products want float32, and this is float16</source>
      <translation>8-Bit-Produkte brauchen float32, und dies ist float16</translation>
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
      <source>8-bit weights, {0}-bit activations{1}</source>
      <translation>8-Bit-Gewichte, {0}-Bit-Aktivierungen{1}</translation>
    </message>
    <message>
      <source>: give one of them another name</source>
      <translation>: einem davon einen anderen Namen geben</translation>
    </message>
    <message>
      <source>; --precision stored holds those in integers as they are</source>
      <translation>; --precision stored hält die in Ganzzahlen unverändert</translation>
    </message>
    <message>
      <source>; build {0}</source>
      <translation>; {0} bauen</translation>
    </message>
    <message>
      <source>A JSON list of logits ops that replace the bundle's.</source>
      <translation>Eine JSON-Liste von Logits-Operationen, die die des Bundles ersetzen.</translation>
    </message>
    <message>
      <source>A JSON schema that the reply must fit.</source>
      <translation>Ein JSON-Schema, dem die Antwort entsprechen muss.</translation>
    </message>
    <message>
      <source>A KV cache needs past and present tensors that agree on their number of slots.</source>
      <translation>Ein KV-Cache braucht past- und present-Tensoren, die in der Zahl ihrer Slots übereinstimmen.</translation>
    </message>
    <message>
      <source>A Lark grammar that the reply must follow.</source>
      <translation>Eine Lark-Grammatik, der die Antwort folgen muss.</translation>
    </message>
    <message>
      <source>A and B have no value in common that could be compared: give bundles of one model.</source>
      <translation>A und B haben keinen gemeinsamen Wert, der sich vergleichen ließe: Bundles eines Modells angeben.</translation>
    </message>
    <message>
      <source>A batch goes with {0} and fp16, and not with {1}.</source>
      <translation>Ein Batch verträgt sich mit {0} und fp16, und nicht mit {1}.</translation>
    </message>
    <message>
      <source>A batch has at least one row, and {0} were asked for.</source>
      <translation>Ein Batch hat mindestens eine Zeile, und verlangt wurden {0}.</translation>
    </message>
    <message>
      <source>A batch is for texts, and this model reads pictures or sound: leave batch out.</source>
      <translation>Ein Batch ist für Texte, und dieses Modell liest Bilder oder Ton: batch weglassen.</translation>
    </message>
    <message>
      <source>A batch needs --cache gqa, whose rows know nothing of each other, {0}.</source>
      <translation>Ein Batch braucht --cache gqa, dessen Zeilen nichts voneinander wissen, {0}.</translation>
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
      <source>A cache of {0} tokens takes {1}</source>
      <translation>Ein Cache von {0} Tokens braucht {1}</translation>
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
      <source>A connection starts {0} and nothing else.</source>
      <translation>Eine Verbindung startet {0} und nichts anderes.</translation>
    </message>
    <message>
      <source>A decoder behind an encoder needs a start token: state tokens.decoder_start in --pipeline, or give a --tokenizer folder whose config.json has decoder_start_token_id.</source>
      <translation>Ein Decoder hinter einem Encoder braucht ein Start-Token: tokens.decoder_start in --pipeline angeben oder mit --tokenizer einen Ordner, dessen config.json decoder_start_token_id hat.</translation>
    </message>
    <message>
      <source>A file arrived with other content than its digest says.</source>
      <translation>Eine Datei kam mit anderem Inhalt an, als ihr Digest sagt.</translation>
    </message>
    <message>
      <source>A file is larger than the system lets this user write: raise the limit (ulimit -f) there.</source>
      <translation>Eine Datei ist größer, als das System diesen Benutzer schreiben lässt: dort die Grenze erhöhen (ulimit -f).</translation>
    </message>
    <message>
      <source>A file's path leads out of its folder.</source>
      <translation>Der Pfad einer Datei führt aus ihrem Ordner hinaus.</translation>
    </message>
    <message>
      <source>A goal chooses the precision of every node: leave out --precision, nodes and components.</source>
      <translation>Ein Zielwert bestimmt die Präzision jedes Knotens: --precision, Knoten und Komponenten weglassen.</translation>
    </message>
    <message>
      <source>A goal is measured on generated text, and a model without a KV cache generates none.</source>
      <translation>Ein Zielwert wird an erzeugtem Text gemessen, und ein Modell ohne KV-Cache erzeugt keinen.</translation>
    </message>
    <message>
      <source>A goal is measured with the model's own cache: leave kv_dtype out.</source>
      <translation>Ein Zielwert wird mit dem eigenen Cache des Modells gemessen: kv_dtype weglassen.</translation>
    </message>
    <message>
      <source>A goal needs two prompts at least, one to rank weights by and one to judge: give more.</source>
      <translation>Ein Zielwert braucht mindestens zwei Eingaben, eine zum Ordnen der Gewichte und eine zum Beurteilen: mehr angeben.</translation>
    </message>
    <message>
      <source>A goal searches the model's precisions, not its draft's: leave early_exit out.</source>
      <translation>Ein Zielwert sucht die Präzisionen des Modells, nicht die seines Entwurfs: early_exit weglassen.</translation>
    </message>
    <message>
      <source>A has {0} tokens in its vocabulary and B {1}: only bundles with one vocabulary can be compared.</source>
      <translation>A hat {0} Tokens im Vokabular und B {1}: nur Bundles mit einem Vokabular lassen sich vergleichen.</translation>
    </message>
    <message>
      <source>A layer of this model attends to another layer's keys with a window of its own, which no cache layout supports: it cannot be built.</source>
      <translation>Eine Schicht dieses Modells sieht die Keys einer anderen Schicht mit eigenem Fenster, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>A layer of this model attends to keys that no layer stores, which no cache layout supports: it cannot be built.</source>
      <translation>Eine Schicht dieses Modells sieht Keys, die keine Schicht speichert, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>A layer of this model has a recurrence that it does not cache, so it cannot be built.</source>
      <translation>Eine Schicht dieses Modells hat eine Rekurrenz, die sie nicht im Cache behält, also kann es nicht gebaut werden.</translation>
    </message>
    <message>
      <source>A layer of this model has several recurrences, so it cannot be built.</source>
      <translation>Eine Schicht dieses Modells hat mehrere Rekurrenzen, also kann es nicht gebaut werden.</translation>
    </message>
    <message>
      <source>A layer of this model uses a mask that transformers did not create, which no cache layout supports: it cannot be built.</source>
      <translation>Eine Schicht dieses Modells verwendet eine Maske, die nicht transformers erzeugt hat, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>A layer of this model {0}, of which a batch has none for each text: leave batch out.</source>
      <translation>Eine Schicht dieses Modells {0}, wovon ein Batch nicht für jeden Text einen Zustand hat: batch weglassen.</translation>
    </message>
    <message>
      <source>A machine cannot be called {0}: take letters, digits, '.', '_' and '-', a letter or a digit first, and not {1}.</source>
      <translation>Ein Rechner kann nicht {0} heißen: Buchstaben, Ziffern, „.“, „_“ und „-“ verwenden, zuerst einen Buchstaben oder eine Ziffer, und nicht {1}.</translation>
    </message>
    <message>
      <source>A message's parts are text, image_url and input_audio.</source>
      <translation>Die Teile einer Nachricht sind text, image_url und input_audio.</translation>
    </message>
    <message>
      <source>A method of its own for each node</source>
      <translation>Eine eigene Methode für jeden Knoten</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels is smaller than its mirrored border: give a larger one.</source>
      <translation>Ein Bild von {0} × {1} Pixeln ist kleiner als sein gespiegelter Rand: ein größeres angeben.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels is too narrow for this model: cut it.</source>
      <translation>Ein Bild von {0} × {1} Pixeln ist für dieses Modell zu schmal: es zuschneiden.</translation>
    </message>
    <message>
      <source>A picture of {0} × {1} pixels is too narrow for this model: its longer edge may be at most {2} times the shorter one.</source>
      <translation>Ein Bild von {0} × {1} Pixeln ist für dieses Modell zu schmal: seine längere Kante darf höchstens das {2}-Fache der kürzeren sein.</translation>
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
      <source>A recording is sent as input_audio with data in base64.</source>
      <translation>Eine Aufnahme wird als input_audio mit data in base64 gesendet.</translation>
    </message>
    <message>
      <source>A regular expression that the whole reply must match.</source>
      <translation>Ein regulärer Ausdruck, dem die ganze Antwort entsprechen muss.</translation>
    </message>
    <message>
      <source>A reply has one constraint: leave response_format or tools out.</source>
      <translation>Eine Antwort hat eine Vorgabe: response_format oder tools weglassen.</translation>
    </message>
    <message>
      <source>A report is on runs or on a bundle: name one of the two.</source>
      <translation>Ein Bericht ist über Läufe oder über ein Bundle: eines von beiden nennen.</translation>
    </message>
    <message>
      <source>A request is malformed ({0}): install one version on both.</source>
      <translation>Eine Anfrage ist fehlerhaft ({0}): auf beiden dieselbe Version installieren.</translation>
    </message>
    <message>
      <source>A request was no JSON object with an id and a job.</source>
      <translation>Eine Anfrage war kein JSON-Objekt mit id und job.</translation>
    </message>
    <message>
      <source>A server on another machine answers this machine alone, and not at {0}: leave --host out, or run `joinery serve` there.</source>
      <translation>Ein Server auf einem anderen Rechner antwortet nur diesem Rechner und nicht unter {0}: Lassen Sie --host weg, oder starten Sie dort `joinery serve`.</translation>
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
      <source>A task has one pattern or one in each row: give --pattern or --pattern-column, not both.</source>
      <translation>Eine Aufgabe hat ein Muster oder eines in jeder Zeile: --pattern oder --pattern-column angeben, nicht beides.</translation>
    </message>
    <message>
      <source>A task needs at least one row and one token a reply.</source>
      <translation>Eine Aufgabe braucht mindestens eine Zeile und ein Token je Antwort.</translation>
    </message>
    <message>
      <source>A tied head without a transposed copy</source>
      <translation>Ein gekoppelter Kopf ohne transponierte Kopie</translation>
    </message>
    <message>
      <source>A tool has no name, so that it cannot be called: give each a function with a name.</source>
      <translation>Ein Werkzeug hat keinen Namen, kann also nicht aufgerufen werden: jedem eine Funktion mit Namen geben.</translation>
    </message>
    <message>
      <source>A transcript has no prompt: send the 'sound' alone.</source>
      <translation>Ein Transkript hat keine Eingabe: allein „sound“ senden.</translation>
    </message>
    <message>
      <source>A waveform cannot have {0} columns: give 1 to 100,000.</source>
      <translation>Eine Wellenform kann nicht {0} Spalten haben: 1 bis 100.000 angeben.</translation>
    </message>
    <message>
      <source>A worker ended this step, and its result did not appear within {0} s: all machines need {1}.</source>
      <translation>Ein Worker beendete diesen Schritt, und sein Ergebnis erschien nicht innerhalb von {0} s: alle Rechner brauchen {1}.</translation>
    </message>
    <message>
      <source>AWQ (gemm), 4 bits</source>
      <translation>AWQ (gemm), 4 Bit</translation>
    </message>
    <message>
      <source>Above 1: repeat less.</source>
      <translation>Über 1: weniger wiederholen.</translation>
    </message>
    <message>
      <source>Accuracy against speed</source>
      <translation>Genauigkeit gegen Geschwindigkeit</translation>
    </message>
    <message>
      <source>All rows run with one adapter, {0} now: ask for that one, or for one text at a time.</source>
      <translation>Alle Zeilen laufen mit einem Adapter, jetzt {0}: diesen verlangen, oder einen Text auf einmal.</translation>
    </message>
    <message>
      <source>All {0} positions of the model are used: start a new text.</source>
      <translation>Alle {0} Positionen des Modells sind belegt: einen neuen Text beginnen.</translation>
    </message>
    <message>
      <source>And {0} more.</source>
      <translation>Und {0} weitere.</translation>
    </message>
    <message>
      <source>Another connection copies the same file ({0}): try again later.</source>
      <translation>Eine andere Verbindung kopiert dieselbe Datei ({0}): es später noch einmal versuchen.</translation>
    </message>
    <message>
      <source>Another connection uses the copies ({0}): end it, and clear again.</source>
      <translation>Eine andere Verbindung verwendet die Kopien ({0}): sie beenden und noch einmal leeren.</translation>
    </message>
    <message>
      <source>Another module {0} than that of {1} is in use: rename one of them.</source>
      <translation>Ein anderes Modul {0} als das von {1} wird verwendet: eines umbenennen.</translation>
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
      <source>As it runs</source>
      <translation>Wie es läuft</translation>
    </message>
    <message>
      <source>As the checkpoint stores them</source>
      <translation>Wie der Checkpoint sie speichert</translation>
    </message>
    <message>
      <source>At {0} positions the candidate's logits are no numbers.</source>
      <translation>An {0} Positionen sind die Logits des Kandidaten keine Zahlen.</translation>
    </message>
    <message>
      <source>Attention over a scattered cache</source>
      <translation>Attention über einen verstreuten Cache</translation>
    </message>
    <message>
      <source>Attention over past and new rows without joining them</source>
      <translation>Attention über alte und neue Zeilen, ohne sie zu verbinden</translation>
    </message>
    <message>
      <source>B's nodes cannot be run by themselves: {0}</source>
      <translation>Die Knoten von B lassen sich nicht einzeln ausführen: {0}</translation>
    </message>
    <message>
      <source>Beam search with N beams.</source>
      <translation>Beam-Suche mit N Beams.</translation>
    </message>
    <message>
      <source>Beams are searched without drafts: leave --draft out, or ask for one beam.</source>
      <translation>Beams werden ohne Entwürfe gesucht: --draft weglassen oder einen Beam verlangen.</translation>
    </message>
    <message>
      <source>Beams are searched without the drafts that the bundle's file asks for.</source>
      <translation>Beams werden ohne die Entwürfe gesucht, die die Datei des Bundles verlangt.</translation>
    </message>
    <message>
      <source>Beams need a cache that can be rewound, and this model has another state: use one beam.</source>
      <translation>Beams brauchen einen Cache, der sich zurücksetzen lässt, und dieses Modell hat einen anderen Zustand: einen Beam verwenden.</translation>
    </message>
    <message>
      <source>Beams need a cache that keeps every token, and the {0} cache of {1} would evict some: open it with a larger --capacity, or request fewer tokens.</source>
      <translation>Beams brauchen einen Cache, der jedes Token behält, und der Cache {0} von {1} würde einige verdrängen: mit größerer --capacity öffnen oder weniger Tokens verlangen.</translation>
    </message>
    <message>
      <source>Before their turn.</source>
      <translation>Vor ihrer Reihe.</translation>
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
      <source>Branching tokens cannot be committed as a whole: give the path to the last one.</source>
      <translation>Verzweigte Tokens können nicht als Ganzes übernommen werden: den Pfad zum letzten angeben.</translation>
    </message>
    <message>
      <source>By its mask a token of this model attends to no token, not even itself: config.json has a sliding window without a size, so correct the file.</source>
      <translation>Nach seiner Maske sieht ein Token dieses Modells kein Token, nicht einmal sich selbst: config.json hat ein gleitendes Fenster ohne Größe, also die Datei berichtigen.</translation>
    </message>
    <message>
      <source>Calibrated by {0}.</source>
      <translation>Kalibriert mit {0}.</translation>
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
      <source>Calibration prompt {0} is no list of ids, and the checkpoint has no tokenizer: write it as 1,2,3.</source>
      <translation>Kalibriereingabe {0} ist keine Liste von IDs, und der Checkpoint hat keinen Tokenizer: sie als 1,2,3 schreiben.</translation>
    </message>
    <message>
      <source>Cancelled while the bundle was being written.</source>
      <translation>Abgebrochen, während das Bundle geschrieben wurde.</translation>
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
      <source>Components have a copy of the weights each, for shared ones cannot be used: {0}</source>
      <translation>Komponenten haben je eine Kopie der Gewichte, denn geteilte sind nicht verwendbar: {0}</translation>
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
      <source>Contrastive decoding</source>
      <translation>Kontrastives Dekodieren</translation>
    </message>
    <message>
      <source>Contrastive decoding needs a prompt of text alone: leave it out, or the pictures.</source>
      <translation>Kontrastives Dekodieren braucht eine reine Texteingabe: es oder die Bilder weglassen.</translation>
    </message>
    <message>
      <source>Contrastive decoding needs an amateur: name a smaller bundle with --amateur.</source>
      <translation>Kontrastives Dekodieren braucht ein Amateurmodell: mit --amateur ein kleineres Bundle nennen.</translation>
    </message>
    <message>
      <source>Convolutions with state in ONNX's own operators</source>
      <translation>Faltungen mit Zustand in ONNX-eigenen Operatoren</translation>
    </message>
    <message>
      <source>Cross cache</source>
      <translation>Cross-Cache</translation>
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
      <source>DirectML has no GPU with the device_id {0}: there are {1}.</source>
      <translation>DirectML hat keine GPU mit der device_id {0}: es gibt {1}.</translation>
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
      <source>Divided into an encoder and a decoder with a cache, this model's logits differ from its own by {0}: it connects the two in a way that Joinery does not support, so it cannot be built.</source>
      <translation>In Encoder und Decoder mit Cache geteilt, weichen die Logits dieses Modells um {0} von seinen ab: es verbindet die beiden auf eine Art, die Joinery nicht unterstützt, kann also nicht gebaut werden.</translation>
    </message>
    <message>
      <source>Divided into encoder, embeddings and decoder, this model's logits differ from its own by {0}: it connects them in a way that Joinery does not support, so it cannot be built.</source>
      <translation>In Encoder, Embeddings und Decoder geteilt, weichen die Logits dieses Modells um {0} von seinen ab: es verbindet sie auf eine Art, die Joinery nicht unterstützt, kann also nicht gebaut werden.</translation>
    </message>
    <message>
      <source>Divided into encoder, embeddings and decoder, this model's own code fails ({0}: {1}), so it cannot be built.</source>
      <translation>In Encoder, Embeddings und Decoder geteilt, schlägt der eigene Code dieses Modells fehl ({0}: {1}), also kann es nicht gebaut werden.</translation>
    </message>
    <message>
      <source>Draft the tokens that followed the latest tokens before.</source>
      <translation>Die Tokens entwerfen, die zuvor auf die letzten Tokens folgten.</translation>
    </message>
    <message>
      <source>Drafting by {0} failed, and this generation goes on without drafts: {1}</source>
      <translation>Entwürfe von {0} schlugen fehl, und diese Erzeugung geht ohne Entwürfe weiter: {1}</translation>
    </message>
    <message>
      <source>Drafts are chains, not trees: this bundle's {0} cache takes one path, because {1}.</source>
      <translation>Entwürfe sind Ketten, keine Bäume: der Cache {0} dieses Bundles nimmt einen Pfad, denn {1}.</translation>
    </message>
    <message>
      <source>Drafts are for a bundle that generates, and this one is a single graph.</source>
      <translation>Entwürfe sind für ein Bundle, das erzeugt, und dies ist ein einzelner Graph.</translation>
    </message>
    <message>
      <source>Drafts are off: the bundle's file names the draft {0}, which is another bundle: give it as --draft.</source>
      <translation>Entwürfe sind aus: die Datei des Bundles nennt den Entwurf {0}, der ein anderes Bundle ist: ihn mit --draft angeben.</translation>
    </message>
    <message>
      <source>Drafts are off: this bundle's graphs compute several tokens in one run too differently from one at a time.</source>
      <translation>Entwürfe sind aus: die Graphen dieses Bundles berechnen mehrere Tokens in einem Lauf zu anders als einzeln.</translation>
    </message>
    <message>
      <source>Drafts are off: this bundle's graphs give the logits of one token per run.</source>
      <translation>Entwürfe sind aus: die Graphen dieses Bundles geben je Lauf die Logits eines Tokens.</translation>
    </message>
    <message>
      <source>Drafts are off: this model has a state that cannot be rewound after a rejected draft.</source>
      <translation>Entwürfe sind aus: dieses Modell hat einen Zustand, der sich nach einem abgelehnten Entwurf nicht zurücksetzen lässt.</translation>
    </message>
    <message>
      <source>Drafts are off: {0} quantizes all tokens of a run together, so several differ from one.</source>
      <translation>Entwürfe sind aus: {0} quantisiert alle Tokens eines Laufs zusammen, also weichen mehrere von einem ab.</translation>
    </message>
    <message>
      <source>Drafts of early_exit and of hidden states continue one text: leave batch out, or them.</source>
      <translation>Entwürfe von early_exit und von verborgenen Zuständen setzen einen einzigen Text fort: batch weglassen, oder sie.</translation>
    </message>
    <message>
      <source>Drafts that branch, of at most N tokens; one run checks all paths.</source>
      <translation>Entwürfe mit Verzweigungen, von höchstens N Tokens; ein Lauf prüft alle Pfade.</translation>
    </message>
    <message>
      <source>Draw the same tokens each time.</source>
      <translation>Jedes Mal dieselben Tokens ziehen.</translation>
    </message>
    <message>
      <source>Drop tokens below this share of the highest probability.</source>
      <translation>Tokens unter diesem Anteil der höchsten Wahrscheinlichkeit weglassen.</translation>
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
      <source>End where this text appears.</source>
      <translation>Enden, wo dieser Text erscheint.</translation>
    </message>
    <message>
      <source>Every weight as it is.</source>
      <translation>Jedes Gewicht, wie es ist.</translation>
    </message>
    <message>
      <source>FP8 by tensor, row, group or block</source>
      <translation>FP8 je Tensor, Zeile, Gruppe oder Block</translation>
    </message>
    <message>
      <source>Features of the kind {0} cannot be computed: only {1} can.</source>
      <translation>Merkmale der Art {0} können nicht berechnet werden: nur {1}.</translation>
    </message>
    <message>
      <source>Final sessions run on the outputs of a step, and there was none: feed a token first.</source>
      <translation>Sessions bei final laufen mit den Ausgaben eines Schritts, und es gab keinen: zuerst ein Token geben.</translation>
    </message>
    <message>
      <source>Finite masks instead of −inf</source>
      <translation>Endliche Masken statt −inf</translation>
    </message>
    <message>
      <source>From the request.</source>
      <translation>Von der Anfrage an.</translation>
    </message>
    <message>
      <source>From token to token.</source>
      <translation>Von Token zu Token.</translation>
    </message>
    <message>
      <source>GGUF experts whose rows alternate (gpt-oss), in a form that is kept exactly</source>
      <translation>GGUF-Experten mit abwechselnden Zeilen (gpt-oss), in einer Form, die genau bleibt</translation>
    </message>
    <message>
      <source>GGUF experts whose rows alternate (gpt-oss), in floats or blocks with minimums</source>
      <translation>GGUF-Experten mit abwechselnden Zeilen (gpt-oss), in Gleitkommazahlen oder Blöcken mit Minima</translation>
    </message>
    <message>
      <source>GPTQ, {0} bits</source>
      <translation>GPTQ, {0} Bit</translation>
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
      <source>Gemm takes no {0} with these factors</source>
      <translation>Gemm nimmt kein {0} mit diesen Faktoren</translation>
    </message>
    <message>
      <source>Gemm would lose the symbolic batch axis, and a transposed copy of {0} costs {1} bytes</source>
      <translation>Gemm verlöre die symbolische Batch-Achse, und eine transponierte Kopie von {0} kostet {1} Bytes</translation>
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
      <source>GroupQueryAttention with rotary positions</source>
      <translation>GroupQueryAttention mit Drehpositionen</translation>
    </message>
    <message>
      <source>Guidance keeps a second cache of {0} MiB, over the same weights.</source>
      <translation>Guidance hält einen zweiten Cache von {0} MiB, über dieselben Gewichte.</translation>
    </message>
    <message>
      <source>HQQ, {0} bits</source>
      <translation>HQQ, {0} Bit</translation>
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
      <source>Have Windows download it: python -m workflows.runtime.providers.fetch {0}.</source>
      <translation>Windows es herunterladen lassen: python -m workflows.runtime.providers.fetch {0}.</translation>
    </message>
    <message>
      <source>Having their turn.</source>
      <translation>An der Reihe.</translation>
    </message>
    <message>
      <source>Importing what was installed</source>
      <translation>Das Installierte wird importiert</translation>
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
      <source>It needs {0}, which failed.</source>
      <translation>Er braucht {0}, und das schlug fehl.</translation>
    </message>
    <message>
      <source>JOINERY_SSH is no command line ({0}): write it as in a shell.</source>
      <translation>JOINERY_SSH ist keine Befehlszeile ({0}): sie wie in einer Shell schreiben.</translation>
    </message>
    <message>
      <source>JSON schema</source>
      <translation>JSON-Schema</translation>
    </message>
    <message>
      <source>Joinery applies no adapters: merge it into the weights</source>
      <translation>Joinery wendet keine Adapter an: ihn in die Gewichte einrechnen</translation>
    </message>
    <message>
      <source>Joinery does not detect speech</source>
      <translation>Joinery erkennt keine Sprechpausen</translation>
    </message>
    <message>
      <source>Joinery does not support paged caches</source>
      <translation>Joinery unterstützt keine Caches mit Seiten (paged)</translation>
    </message>
    <message>
      <source>Joinery does not support paged caches: leave it out</source>
      <translation>Joinery unterstützt keine Caches mit Seiten (paged): weglassen</translation>
    </message>
    <message>
      <source>Joinery does not support this beam search input</source>
      <translation>Joinery unterstützt diesen Eingang der Beam-Suche nicht</translation>
    </message>
    <message>
      <source>Joinery does not support transducers</source>
      <translation>Joinery unterstützt keine Transducer</translation>
    </message>
    <message>
      <source>Joinery exports layers with a convolution, or all with one and a recurrence</source>
      <translation>Joinery exportiert Schichten mit einer Faltung, oder alle mit einer und einer Rekurrenz</translation>
    </message>
    <message>
      <source>Joinery has no input with the number of tokens of a step</source>
      <translation>Joinery hat keinen Eingang mit der Zahl der Tokens eines Schritts</translation>
    </message>
    <message>
      <source>Joinery shares weights by their file: export without it</source>
      <translation>Joinery teilt Gewichte über ihre Datei: ohne das exportieren</translation>
    </message>
    <message>
      <source>Joinery's text to calibrate with</source>
      <translation>Joinerys Text zum Kalibrieren</translation>
    </message>
    <message>
      <source>Joinery's text to measure with</source>
      <translation>Joinerys Text zum Messen</translation>
    </message>
    <message>
      <source>Joinery: runs compared</source>
      <translation>Joinery: verglichene Läufe</translation>
    </message>
    <message>
      <source>Joinery: sweep</source>
      <translation>Joinery: Sweep</translation>
    </message>
    <message>
      <source>KV cache</source>
      <translation>KV-Cache</translation>
    </message>
    <message>
      <source>KV cache in 8-bit integers</source>
      <translation>KV-Cache in 8-Bit-Ganzzahlen</translation>
    </message>
    <message>
      <source>Keep fp32</source>
      <translation>fp32 behalten</translation>
    </message>
    <message>
      <source>Language to translate from.</source>
      <translation>Sprache, aus der übersetzt wird.</translation>
    </message>
    <message>
      <source>Language to translate into: de_DE, fra_Latn …</source>
      <translation>Sprache, in die übersetzt wird: de_DE, fra_Latn …</translation>
    </message>
    <message>
      <source>Lark grammar</source>
      <translation>Lark-Grammatik</translation>
    </message>
    <message>
      <source>Latency curves of {0}</source>
      <translation>Latenzkurven von {0}</translation>
    </message>
    <message>
      <source>Latency of each decoded token</source>
      <translation>Latenz jedes dekodierten Tokens</translation>
    </message>
    <message>
      <source>Layer {0} has two tensors named {1}.</source>
      <translation>Schicht {0} hat zwei Tensoren namens {1}.</translation>
    </message>
    <message>
      <source>LayerNorms of 16 rows with the mean subtracted first</source>
      <translation>LayerNorms von 16 Zeilen mit zuerst abgezogenem Mittelwert</translation>
    </message>
    <message>
      <source>Left out: </source>
      <translation>Ausgelassen: </translation>
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
      <source>MXFP4 of experts (gpt-oss)</source>
      <translation>MXFP4 von Experten (gpt-oss)</translation>
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
      <source>Maximum tokens of a draft.</source>
      <translation>Höchstzahl der Tokens eines Entwurfs.</translation>
    </message>
    <message>
      <source>Maximum tokens to generate.</source>
      <translation>Höchstzahl der erzeugten Tokens.</translation>
    </message>
    <message>
      <source>Memory is short: the weights take about {0}, the rest {1}, and {2}, so other programs will be swapped to the disk, or the system will end one.</source>
      <translation>Der Speicher ist knapp: die Gewichte brauchen etwa {0}, der Rest {1}, und {2}, also werden andere Programme auf den Datenträger ausgelagert, oder das System beendet eines.</translation>
    </message>
    <message>
      <source>Memory ran out: close other programs, or {0}.</source>
      <translation>Der Speicher ist voll: andere Programme schließen oder {0}.</translation>
    </message>
    <message>
      <source>Name one of the models: {0}.</source>
      <translation>Eines der Modelle nennen: {0}.</translation>
    </message>
    <message>
      <source>No Dask scheduler answers at {0}: {1}.</source>
      <translation>Bei {0} antwortet kein Dask-Scheduler: {1}.</translation>
    </message>
    <message>
      <source>No ONNX function found</source>
      <translation>Keine Funktion von ONNX gefunden</translation>
    </message>
    <message>
      <source>No adapter was active: the bundle's own weights alone were read, without {0}.</source>
      <translation>Kein Adapter war aktiv: Nur die eigenen Gewichte des Bundles wurden gelesen, ohne {0}.</translation>
    </message>
    <message>
      <source>No answer had a second token, so there are no hidden states to compare.</source>
      <translation>Keine Antwort hatte ein zweites Token, also gibt es keine verborgenen Zustände zu vergleichen.</translation>
    </message>
    <message>
      <source>No bundle has both a speed and an accuracy here.</source>
      <translation>Kein Bundle hat hier Geschwindigkeit und Genauigkeit.</translation>
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
      <source>No drafts, even if the bundle asks for them.</source>
      <translation>Keine Entwürfe, auch wenn das Bundle sie verlangt.</translation>
    </message>
    <message>
      <source>No graph gives {0}: give the head's graph, or export it with an output of that name.</source>
      <translation>Kein Graph gibt {0}: den Graphen des Kopfes angeben oder ihn mit einer Ausgabe dieses Namens exportieren.</translation>
    </message>
    <message>
      <source>No graph has inputs named like {0}, so none keeps a cache: {1}.</source>
      <translation>Kein Graph hat Eingänge, die wie {0} heißen, also behält keiner einen Cache: {1}.</translation>
    </message>
    <message>
      <source>No graph was given: give at least one as NAME=FILE.</source>
      <translation>Kein Graph wurde angegeben: mindestens einen als NAME=DATEI angeben.</translation>
    </message>
    <message>
      <source>No graph was given: give at least one, name → file.</source>
      <translation>Kein Graph wurde angegeben: mindestens einen angeben, Name → Datei.</translation>
    </message>
    <message>
      <source>No job is called {0}: there are {1}.</source>
      <translation>Kein Auftrag heißt {0}: es gibt {1}.</translation>
    </message>
    <message>
      <source>No machine is called {0}, {1}: `joinery remote add NAME ssh://user@host` adds one.</source>
      <translation>Kein Rechner heißt {0}, {1}: `joinery remote add NAME ssh://user@host` fügt einen hinzu.</translation>
    </message>
    <message>
      <source>No mix that is smaller than fp32 gives logits that are numbers, as {0} asks.</source>
      <translation>Keine Mischung, die kleiner als fp32 ist, ergibt Logits, die Zahlen sind, wie es {0} verlangt.</translation>
    </message>
    <message>
      <source>No mix that is smaller than fp32 keeps {0}: {1} was the best, with {2}; choose another limit, give more --prompts, or build with --precision fp32.</source>
      <translation>Keine Mischung, die kleiner als fp32 ist, hält {0}: {1} war die beste, mit {2}; eine andere Grenze wählen, mehr --prompts angeben oder mit --precision fp32 bauen.</translation>
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
      <source>No perplexity of the prompts: an encoder reads them, or they are single tokens.</source>
      <translation>Keine Perplexität der Eingaben: ein Encoder liest sie, oder sie sind einzelne Tokens.</translation>
    </message>
    <message>
      <source>No provider is called {0}: choose one of {1}; `joinery devices` tells more.</source>
      <translation>Kein Provider heißt {0}: einen von {1} wählen; `joinery devices` sagt mehr.</translation>
    </message>
    <message>
      <source>No quantized node of the candidate is found in the reference in full precision, so none can be suggested: give the fp32 bundle that was built with the same passes.</source>
      <translation>Kein quantisierter Knoten des Kandidaten findet sich in der Referenz in voller Präzision, also lässt sich keiner vorschlagen: das fp32-Bundle angeben, das mit denselben Pässen gebaut wurde.</translation>
    </message>
    <message>
      <source>No recipe has a setting {0}: the settings are {1}.</source>
      <translation>Kein Rezept hat eine Einstellung {0}: die Einstellungen sind {1}.</translation>
    </message>
    <message>
      <source>No tuned processor has</source>
      <translation>Kein abgestimmter Prozessor hat</translation>
    </message>
    <message>
      <source>No weight of this model can be made smaller node by node, so no goal can be searched for.</source>
      <translation>Kein Gewicht dieses Modells kann Knoten für Knoten kleiner werden, also lässt sich kein Zielwert suchen.</translation>
    </message>
    <message>
      <source>No worker has {0}, which {1} needs: the workers offer {2}; start one with `dask worker --resources "TAG=N"`, or change the plan.</source>
      <translation>Kein Worker hat {0}, was {1} braucht: die Worker bieten {2}; einen mit `dask worker --resources "TAG=N"` starten oder den Plan ändern.</translation>
    </message>
    <message>
      <source>No {0} with plugins is installed: see `joinery plugins list`.</source>
      <translation>Kein {0} mit Plug-ins ist installiert: siehe `joinery plugins list`.</translation>
    </message>
    <message>
      <source>Norms over heads on three axes</source>
      <translation>Normen über Köpfe auf drei Achsen</translation>
    </message>
    <message>
      <source>Not compared, because A has no counterpart in these runs: {0}.</source>
      <translation>Nicht verglichen, weil A in diesen Läufen kein Gegenstück hat: {0}.</translation>
    </message>
    <message>
      <source>Not confirmed</source>
      <translation>Nicht bestätigt</translation>
    </message>
    <message>
      <source>Not ended</source>
      <translation>Nicht beendet</translation>
    </message>
    <message>
      <source>Nothing can listen on {0}, port {1}: {2}.</source>
      <translation>An {0}, Port {1}, kann nichts lauschen: {2}.</translation>
    </message>
    <message>
      <source>Nothing feeds {0}'s input {1}: heads take hidden states, the ids after them, and a cache of their own.</source>
      <translation>Nichts speist den Eingang {1} von {0}: Köpfe nehmen verborgene Zustände, die IDs danach und einen eigenen Cache.</translation>
    </message>
    <message>
      <source>Nothing feeds {0}: it masks the source of an encoder, so give the encoder's graph.</source>
      <translation>Nichts speist {0}: es maskiert die Quelle eines Encoders, also den Graphen des Encoders angeben.</translation>
    </message>
    <message>
      <source>Nothing feeds {0}{1}, which in optimum's export the decoder without past computes in its first run: give that graph as well, and make a bundle of them with `joinery assemble`.</source>
      <translation>Nichts speist {0}{1}, was im Export von optimum der Decoder ohne past in seinem ersten Lauf berechnet: auch diesen Graphen angeben und mit `joinery assemble` ein Bundle daraus machen.</translation>
    </message>
    <message>
      <source>Nothing feeds {0}{1}: no graph that runs before {2} has an output of that name; give one that has, or name its source under pipeline.dataflow in --pipeline.</source>
      <translation>Nichts speist {0}{1}: kein Graph, der vor {2} läuft, hat eine Ausgabe dieses Namens; einen angeben, der sie hat, oder ihre Quelle unter pipeline.dataflow in --pipeline nennen.</translation>
    </message>
    <message>
      <source>Nothing in {0} makes its output {1}, so no runtime takes it.</source>
      <translation>Nichts in {0} erzeugt seine Ausgabe {1}, daher nimmt keine Laufzeitumgebung ihn an.</translation>
    </message>
    <message>
      <source>Nothing uses the outputs of {0} ({1}): leave it out, or give the graph that uses them.</source>
      <translation>Nichts verwendet die Ausgaben von {0} ({1}): ihn weglassen oder den Graphen angeben, der sie verwendet.</translation>
    </message>
    <message>
      <source>Nothing was read for {0} s while others wait</source>
      <translation>{0} s lang wurde nichts gelesen, während andere warten</translation>
    </message>
    <message>
      <source>Nothing was run; the nodes are those of {0}'s kernel table.</source>
      <translation>Nichts wurde ausgeführt; die Knoten sind die der Kernel-Tabelle von {0}.</translation>
    </message>
    <message>
      <source>Of beam search: above 0 favours long texts.</source>
      <translation>Der Beam-Suche: über 0 bevorzugt lange Texte.</translation>
    </message>
    <message>
      <source>Of beam search: true, false or never, as in transformers.</source>
      <translation>Der Beam-Suche: true, false oder never, wie in transformers.</translation>
    </message>
    <message>
      <source>Of the cache's slots.</source>
      <translation>Der Slots des Caches.</translation>
    </message>
    <message>
      <source>Of these, that the cache held.</source>
      <translation>Davon diejenigen, die der Cache hielt.</translation>
    </message>
    <message>
      <source>Of {0}, the model reads the first {1} of {2} seconds.</source>
      <translation>Von {0} liest das Modell die ersten {1} von {2} Sekunden.</translation>
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
      <source>Only files of this connection can be fetched.</source>
      <translation>Nur Dateien dieser Verbindung können geholt werden.</translation>
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
      <source>Pictures of {0} patches cannot have {1} feature rows: check the grids.</source>
      <translation>Bilder von {0} Patches können nicht {1} Merkmalszeilen haben: die Raster prüfen.</translation>
    </message>
    <message>
      <source>Prompt {0} has {1} tokens and the smaller cache of the two bundles holds {2}: shorten it.</source>
      <translation>Eingabe {0} hat {1} Tokens, und der kleinere Cache der beiden Bundles hält {2}: sie kürzen.</translation>
    </message>
    <message>
      <source>Prompt {0} is no list of ids, and the bundle has no tokenizer: write it as 1,2,3.</source>
      <translation>Eingabe {0} ist keine Liste von IDs, und das Bundle hat keinen Tokenizer: sie als 1,2,3 schreiben.</translation>
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
      <source>Reading {0} needs pyarrow, which is not installed: pip install 'joinery[parquet]', or give JSON lines.</source>
      <translation>{0} zu lesen braucht pyarrow, das nicht installiert ist: pip install 'joinery[parquet]', oder JSON-Zeilen angeben.</translation>
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
      <source>Row {0} is not taken: a text joins the batch first.</source>
      <translation>Zeile {0} ist nicht belegt: Zuerst kommt ein Text in den Batch.</translation>
    </message>
    <message>
      <source>Row {0} of {1}</source>
      <translation>Zeile {0} von {1}</translation>
    </message>
    <message>
      <source>Row {0} of {1} has a recording and none of the columns {2}: name that of the transcripts with --answer-column.</source>
      <translation>Zeile {0} von {1} hat eine Aufnahme und keine der Spalten {2}: die der Transkripte mit --answer-column nennen.</translation>
    </message>
    <message>
      <source>Row {0} of {1} has neither {2}: write {"prompt": "…"} a line.</source>
      <translation>Zeile {0} von {1} hat weder {2}: je Zeile {"prompt": "…"} schreiben.</translation>
    </message>
    <message>
      <source>Row {0} of {1} has no path under {2}: write one between quotation marks, or a list of them.</source>
      <translation>Zeile {0} von {1} hat unter {2} keinen Pfad: einen in Anführungszeichen schreiben oder eine Liste davon.</translation>
    </message>
    <message>
      <source>Row {0} of {1} has the columns {2}, neither {3}: name them with --question-column and --answer-column.</source>
      <translation>Zeile {0} von {1} hat die Spalten {2}, weder {3}: sie mit --question-column und --answer-column nennen.</translation>
    </message>
    <message>
      <source>Row {0} of {1} is no JSON object: write one a line.</source>
      <translation>Zeile {0} von {1} ist kein JSON-Objekt: je Zeile eines schreiben.</translation>
    </message>
    <message>
      <source>Row {0} of {1}: {2}</source>
      <translation>Zeile {0} von {1}: {2}</translation>
    </message>
    <message>
      <source>Rule to accept drafts: greedy, rejection_sampling or typical; the default is exact.</source>
      <translation>Regel, um Entwürfe anzunehmen: greedy, rejection_sampling oder typical; ohne Angabe exakt.</translation>
    </message>
    <message>
      <source>Run with a cache, this model's own code fails ({0}: {1}), so it cannot be built.</source>
      <translation>Mit einem Cache schlägt der eigene Code dieses Modells fehl ({0}: {1}), also kann es nicht gebaut werden.</translation>
    </message>
    <message>
      <source>Run with this adapter of the bundle; see inspect.</source>
      <translation>Mit diesem Adapter des Bundles ausführen; siehe inspect.</translation>
    </message>
    <message>
      <source>Sample from the K most probable tokens.</source>
      <translation>Aus den K wahrscheinlichsten Tokens ziehen.</translation>
    </message>
    <message>
      <source>Sample from the fewest tokens with this probability mass.</source>
      <translation>Aus den wenigsten Tokens mit dieser Wahrscheinlichkeitsmasse ziehen.</translation>
    </message>
    <message>
      <source>Sample with this temperature; 0 is greedy.</source>
      <translation>Mit dieser Temperatur ziehen; 0 ist greedy.</translation>
    </message>
    <message>
      <source>Scale of classifier-free guidance; above 1.</source>
      <translation>Skala der klassifikatorfreien Guidance; über 1.</translation>
    </message>
    <message>
      <source>Send the body as JSON, with Content-Type: application/json.</source>
      <translation>Den Inhalt als JSON senden, mit Content-Type: application/json.</translation>
    </message>
    <message>
      <source>Send the recording as the form's file.</source>
      <translation>Die Aufnahme als file des Formulars senden.</translation>
    </message>
    <message>
      <source>Several tuned processors have</source>
      <translation>Mehrere abgestimmte Prozessoren haben</translation>
    </message>
    <message>
      <source>Shorter chains of Reshape and Transpose</source>
      <translation>Kürzere Ketten von Reshape und Transpose</translation>
    </message>
    <message>
      <source>Sink tokens need a cache that evicts others in place; the {0} cache {1}.</source>
      <translation>Sink-Tokens brauchen einen Cache, der andere an ihrer Stelle verdrängt; der Cache {0} {1}.</translation>
    </message>
    <message>
      <source>Some prompts leave room for fewer than {0} new tokens.</source>
      <translation>Einige Eingaben lassen Platz für weniger als {0} neue Tokens.</translation>
    </message>
    <message>
      <source>Sound cannot be converted to {0} Hz: {1} to {2} Hz can be.</source>
      <translation>Ton kann nicht in {0} Hz umgewandelt werden: {1} bis {2} Hz sind möglich.</translation>
    </message>
    <message>
      <source>State of fixed size</source>
      <translation>Zustand fester Größe</translation>
    </message>
    <message>
      <source>Steps of the kind {0} wait for a worker with {1}: there is none at the moment.</source>
      <translation>Schritte der Art {0} warten auf einen Worker mit {1}: im Moment gibt es keinen.</translation>
    </message>
    <message>
      <source>Switch it off with --set passes.{0}=false.</source>
      <translation>Ihn mit --set passes.{0}=false ausschalten.</translation>
    </message>
    <message>
      <source>Switch passes off one by one.</source>
      <translation>Pässe einzeln ausschalten.</translation>
    </message>
    <message>
      <source>TLS takes a certificate and its key: give both</source>
      <translation>TLS braucht ein Zertifikat und seinen Schlüssel: beide angeben</translation>
    </message>
    <message>
      <source>Tasks of lm-eval need its package: install it with {0}.</source>
      <translation>Aufgaben von lm-eval brauchen sein Paket: Es wird mit {0} installiert.</translation>
    </message>
    <message>
      <source>Text {0} with the query</source>
      <translation>Text {0} mit der Anfrage</translation>
    </message>
    <message>
      <source>Texts that a step continues together have other logits than alone, by {0} (of values up to {1}): this model mixes them, so leave batch out.</source>
      <translation>Texte, die ein Schritt gemeinsam fortsetzt, haben andere Logits als allein, um {0} (bei Werten bis {1}): Dieses Modell vermischt sie, daher batch weglassen.</translation>
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
      <source>The If {0} has no {1} with its outputs: get the graph again.</source>
      <translation>Das If {0} hat kein {1} mit seinen Ausgaben: den Graphen erneut holen.</translation>
    </message>
    <message>
      <source>The adapter in {0} is not the one that the recipe was made with (its sha256 differs): give that one, or leave sha256 out.</source>
      <translation>Der Adapter in {0} ist nicht der, mit dem das Rezept gemacht wurde (sein sha256 ist anders): diesen angeben oder sha256 weglassen.</translation>
    </message>
    <message>
      <source>The adapter {0}</source>
      <translation>Der Adapter {0}</translation>
    </message>
    <message>
      <source>The adapter {0} cannot be merged: its tensor {1} {2}.</source>
      <translation>Der Adapter {0} kann nicht verschmolzen werden: sein Tensor {1} {2}.</translation>
    </message>
    <message>
      <source>The adapter {0} cannot be read from {1} ({2}): restore the file or build the bundle anew.</source>
      <translation>Der Adapter {0} kann nicht aus {1} gelesen werden ({2}): die Datei wiederherstellen oder das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>The adapter {0} cannot be switched while the model runs: {1}; merge it, without adapters=runtime.</source>
      <translation>Der Adapter {0} kann nicht umgeschaltet werden, während das Modell läuft: {1}; ihn verschmelzen, ohne adapters=runtime.</translation>
    </message>
    <message>
      <source>The adapter {0} holds {1} {2} in {3}, which does not fit the graphs' inputs: build the bundle anew.</source>
      <translation>Der Adapter {0} enthält {1} {2} in {3}, was nicht zu den Eingängen der Graphen passt: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>The adapter {0} lacks {1} of {2}: get it again.</source>
      <translation>Dem Adapter {0} fehlt {1} von {2}: ihn erneut holen.</translation>
    </message>
    <message>
      <source>The adapter {0} scales a row of zeros by {1}: it was trained for another base, so give that one.</source>
      <translation>Der Adapter {0} skaliert eine Zeile von Nullen um {1}: er wurde für eine andere Basis trainiert, also diese angeben.</translation>
    </message>
    <message>
      <source>The adapter {0} {1}</source>
      <translation>Der Adapter {0} {1}</translation>
    </message>
    <message>
      <source>The adapter's expression '{0}' was not matched within {1} s: correct its {2}.</source>
      <translation>Der Ausdruck „{0}“ des Adapters wurde nicht in {1} s abgeglichen: seine {2} berichtigen.</translation>
    </message>
    <message>
      <source>The adapter's tensor {0} cannot be read from {1} ({2}): leave the adapter where it is until the build ends.</source>
      <translation>Der Tensor {0} des Adapters kann nicht aus {1} gelesen werden ({2}): den Adapter bis zum Ende des Baus an seinem Ort lassen.</translation>
    </message>
    <message>
      <source>The architecture {0} is not one that Joinery can build: its families are {1}.</source>
      <translation>Die Architektur {0} kann Joinery nicht bauen: seine Familien sind {1}.</translation>
    </message>
    <message>
      <source>The archive of {0}'s stages lacks {1}: build it anew.</source>
      <translation>Im Archiv der Stufen von {0} fehlt {1}: es neu bauen.</translation>
    </message>
    <message>
      <source>The arguments of a tool call are no JSON object.</source>
      <translation>Die Argumente eines Werkzeugaufrufs sind kein JSON-Objekt.</translation>
    </message>
    <message>
      <source>The attribute {0} of {1} in {2} is of the type {3}, and must be of {4}: no runtime takes it.</source>
      <translation>Das Attribut {0} von {1} in {2} ist vom Typ {3} und muss von {4} sein: Keine Laufzeitumgebung nimmt es an.</translation>
    </message>
    <message>
      <source>The body</source>
      <translation>Der Inhalt</translation>
    </message>
    <message>
      <source>The body cannot be read as JSON: send an object.</source>
      <translation>Der Inhalt lässt sich nicht als JSON lesen: ein Objekt senden.</translation>
    </message>
    <message>
      <source>The body has more than {0} MiB.</source>
      <translation>Der Inhalt hat mehr als {0} MiB.</translation>
    </message>
    <message>
      <source>The build holds all weights in memory, about {0}, because {1}.</source>
      <translation>Der Bau hält alle Gewichte im Speicher, etwa {0}, denn {1}.</translation>
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
      <source>The build part was installed and cannot be imported: {0}.</source>
      <translation>Der Teil zum Bauen wurde installiert und kann nicht importiert werden: {0}.</translation>
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
      <source>The bundle cannot be written as GGUF: its node {0} ({1}) {2}, for which GGUF has no form.</source>
      <translation>Das Bundle kann nicht als GGUF geschrieben werden: sein Knoten {0} ({1}) {2}, wofür GGUF keine Form hat.</translation>
    </message>
    <message>
      <source>The bundle cannot be written as GGUF: its rotation is {0}, and default, linear and llama3 are written.</source>
      <translation>Das Bundle kann nicht als GGUF geschrieben werden: seine Drehung ist {0}, und geschrieben werden default, linear und llama3.</translation>
    </message>
    <message>
      <source>The bundle cannot be written as GGUF: its setting {0} is {1}, and the architecture of the file has {2}.</source>
      <translation>Das Bundle kann nicht als GGUF geschrieben werden: seine Einstellung {0} ist {1}, und die Architektur der Datei hat {2}.</translation>
    </message>
    <message>
      <source>The bundle cannot be written as GGUF: its sliding window has no place in this architecture.</source>
      <translation>Das Bundle kann nicht als GGUF geschrieben werden: sein gleitendes Fenster hat in dieser Architektur keinen Platz.</translation>
    </message>
    <message>
      <source>The bundle cannot be written as GGUF: {0}.</source>
      <translation>Das Bundle kann nicht als GGUF geschrieben werden: {0}.</translation>
    </message>
    <message>
      <source>The bundle cannot continue several texts in a step, for {0}.</source>
      <translation>Das Bundle kann nicht mehrere Texte in einem Schritt fortsetzen, denn {0}.</translation>
    </message>
    <message>
      <source>The bundle does not know the language {0}: {1}.</source>
      <translation>Das Bundle kennt die Sprache {0} nicht: {1}.</translation>
    </message>
    <message>
      <source>The bundle does not state its pooling: choose the one that its model's page names.</source>
      <translation>Das Bundle nennt sein Pooling nicht: das wählen, das die Seite des Modells nennt.</translation>
    </message>
    <message>
      <source>The bundle has no adapter {0}: it has {1}.</source>
      <translation>Das Bundle hat keinen Adapter {0}: es hat {1}.</translation>
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
      <source>The bundle has no {0}, which says how a sound is prepared: add the file to the checkpoint and build the bundle again.</source>
      <translation>Das Bundle hat keine {0}, die sagt, wie ein Ton vorbereitet wird: die Datei zum Checkpoint legen und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>The bundle has the angles of texts of more than {0} tokens; for this one the checkpoint has others, so replies differ from its own: build with --capacity {1} for such texts.</source>
      <translation>Das Bundle hat die Winkel für Texte über {0} Tokens; für diesen hat der Checkpoint andere, also weichen Antworten von seinen ab: für solche Texte mit --capacity {1} bauen.</translation>
    </message>
    <message>
      <source>The bundle has the chat templates {0} and none of them is the default: give a plain prompt instead of a conversation.</source>
      <translation>Das Bundle hat die Chat-Vorlagen {0}, und keine davon ist die Vorgabe: eine einfache Eingabe statt eines Gesprächs angeben.</translation>
    </message>
    <message>
      <source>The bundle has {0} merged into the weights of {1}.</source>
      <translation>Das Bundle hat {0} mit den Gewichten von {1} verschmolzen.</translation>
    </message>
    <message>
      <source>The bundle hears no sound: give it a prompt instead of a recording.</source>
      <translation>Das Bundle hört keinen Ton: eine Eingabe statt einer Aufnahme geben.</translation>
    </message>
    <message>
      <source>The bundle hears no sound: open one that transcribes, or write a prompt.</source>
      <translation>Das Bundle hört keinen Ton: eines öffnen, das transkribiert, oder eine Eingabe schreiben.</translation>
    </message>
    <message>
      <source>The bundle holds the weights as the checkpoint stores them: {0}.</source>
      <translation>Das Bundle hält die Gewichte, wie der Checkpoint sie speichert: {0}.</translation>
    </message>
    <message>
      <source>The bundle holds {0} beside its weights: a generation chooses one, or none.</source>
      <translation>Das Bundle hält {0} neben seinen Gewichten: eine Erzeugung wählt einen oder keinen.</translation>
    </message>
    <message>
      <source>The bundle holds {0} tokens at most, among which the model attends to all: its index, which selects keys in longer texts, is left out.</source>
      <translation>Das Bundle hält höchstens {0} Tokens, unter denen das Modell alle beachtet: sein Index, der in längeren Texten Schlüssel auswählt, entfällt.</translation>
    </message>
    <message>
      <source>The bundle is a single graph, which takes no adapter: measure it without --adapter.</source>
      <translation>Das Bundle ist ein einzelner Graph, der keinen Adapter annimmt: ohne --adapter messen.</translation>
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
      <source>The bundle reads no sound beside a prompt: leave the recordings out.</source>
      <translation>Das Bundle liest keinen Ton neben einer Eingabe: die Aufnahmen weglassen.</translation>
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
      <source>The bundle takes no adapter, so {0} cannot be used: build it with --set adapters=runtime.</source>
      <translation>Das Bundle nimmt keinen Adapter, also kann {0} nicht verwendet werden: mit --set adapters=runtime bauen.</translation>
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
      <source>The bundle transcribes recordings: each row of the task needs one under 'audio', and no question.</source>
      <translation>Das Bundle transkribiert Aufnahmen: jede Zeile der Aufgabe braucht eine unter „audio“ und keine Frage.</translation>
    </message>
    <message>
      <source>The bundle's controller, {0}, chooses the tokens: leave beams and drafts out.</source>
      <translation>Der Controller des Bundles, {0}, wählt die Tokens: Beams und Entwürfe weglassen.</translation>
    </message>
    <message>
      <source>The bundle's graphs have {0} slots: a capacity of {1} needs another build.</source>
      <translation>Die Graphen des Bundles haben {0} Slots: eine Kapazität von {1} braucht einen anderen Bau.</translation>
    </message>
    <message>
      <source>The bundle's graphs know {0} positions: a capacity of {1} needs another build.</source>
      <translation>Die Graphen des Bundles kennen {0} Positionen: eine Kapazität von {1} braucht einen anderen Bau.</translation>
    </message>
    <message>
      <source>The bundle's tokenizer does not know most of {0}: give texts that it was made for.</source>
      <translation>Der Tokenizer des Bundles kennt das meiste von {0} nicht: Texte angeben, für die er gemacht ist.</translation>
    </message>
    <message>
      <source>The bundle's tokenizer does not mark the language of a source: leave it out.</source>
      <translation>Der Tokenizer des Bundles kennzeichnet die Sprache einer Quelle nicht: sie weglassen.</translation>
    </message>
    <message>
      <source>The bundle's tokenizer knows none of Joinery's texts: give --prompts with a file of texts that it was made for, a prompt a line.</source>
      <translation>Der Tokenizer des Bundles kennt keinen von Joinerys Texten: mit --prompts eine Datei mit Texten angeben, für die er gemacht ist, je Zeile eine Eingabe.</translation>
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
      <source>The cache in integers left a broken graph: {0}; leave kv_dtype out.</source>
      <translation>Der Cache in Ganzzahlen hinterließ einen beschädigten Graphen: {0}; kv_dtype weglassen.</translation>
    </message>
    <message>
      <source>The cache is static, for {0}.</source>
      <translation>Der Cache ist static, denn {0}.</translation>
    </message>
    <message>
      <source>The cache of the {0} is full.</source>
      <translation>Der Cache von {0} ist voll.</translation>
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
      <source>The catalog of Windows ML cannot be read: {0}</source>
      <translation>Der Katalog von Windows ML kann nicht gelesen werden: {0}</translation>
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
      <source>The chat template {0} in {1}/tokenizer_config.json is of the type {2}, not a text.</source>
      <translation>Die Chat-Vorlage {0} in {1}/tokenizer_config.json ist vom Typ {2}, kein Text.</translation>
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
      <source>The checkpoint has the weight '{0}' quantized and as it is, which is ambiguous: get the checkpoint again.</source>
      <translation>Der Checkpoint hat das Gewicht „{0}“ quantisiert und unverändert, was mehrdeutig ist: den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>The checkpoint is a {0}, whose layers keep state of fixed size: Joinery builds such a model for {1} alone.</source>
      <translation>Der Checkpoint ist ein {0}, dessen Schichten Zustand fester Größe halten: Joinery baut ein solches Modell allein für {1}.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by AWQ in the version {0}, and gemm is read: get the model in this one.</source>
      <translation>Der Checkpoint ist mit AWQ in der Version {0} quantisiert, und gelesen wird gemm: das Modell in dieser holen.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by AWQ with bits = {0}, and 4 are read: get the model with these, or without quantization.</source>
      <translation>Der Checkpoint ist mit AWQ in bits = {0} quantisiert, und gelesen werden 4: das Modell damit holen oder ohne Quantisierung.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by GPTQ and packed in {0}, and packing in int32 is read: get the model packed so.</source>
      <translation>Der Checkpoint ist mit GPTQ quantisiert und in {0} gepackt, und gelesen wird die Packung in int32: das Modell so gepackt holen.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by GPTQ in the format {0}, and {1} are read: get the model in one of these.</source>
      <translation>Der Checkpoint ist mit GPTQ im Format {0} quantisiert, und gelesen werden {1}: das Modell in einem davon holen.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by GPTQ with bits = {0}, and 4 and 8 are read: get the model with one of these, or without quantization.</source>
      <translation>Der Checkpoint ist mit GPTQ in bits = {0} quantisiert, und gelesen werden 4 und 8: das Modell mit einem davon holen oder ohne Quantisierung.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by compressed-tensors with {0} ({1}), which are not read: get the model without these.</source>
      <translation>Der Checkpoint ist mit compressed-tensors mit {0} ({1}) quantisiert, was nicht gelesen wird: das Modell ohne diese holen.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by torchao, and '{0}' is of its class {1}, which is not read: get the model with weights of {2}.</source>
      <translation>Der Checkpoint ist mit torchao quantisiert, und „{0}“ ist von dessen Klasse {1}, die nicht gelesen wird: das Modell mit Gewichten von {2} holen.</translation>
    </message>
    <message>
      <source>The checkpoint is quantized by {0}, and the layers of {1} have transposed weights, which are not read in this form: get the model without quantization.</source>
      <translation>Der Checkpoint ist mit {0} quantisiert, und die Schichten von {1} haben transponierte Gewichte, die in dieser Form nicht gelesen werden: das Modell ohne Quantisierung holen.</translation>
    </message>
    <message>
      <source>The checkpoint is {0} with an encoder and a decoder (is_encoder_decoder in config.json), and {1} builds models of one part: the families with both are {2}.</source>
      <translation>Der Checkpoint ist {0} mit Encoder und Decoder (is_encoder_decoder in config.json), und {1} baut Modelle aus einem Teil: die Familien mit beiden sind {2}.</translation>
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
      <source>The checkpoint makes vectors of texts (modules.json of sentence-transformers) with {0}: Joinery builds embedders of {1}, and of decoders of text alone.</source>
      <translation>Der Checkpoint macht mit {0} Vektoren von Texten (modules.json von sentence-transformers): Joinery baut Embedder von {1} und von Decodern nur für Text.</translation>
    </message>
    <message>
      <source>The checkpoint names the file '{0}', which is not a plain path inside its folder; get the checkpoint again from a source that you trust.</source>
      <translation>Der Checkpoint nennt die Datei „{0}“, was kein einfacher Pfad in seinem Ordner ist; den Checkpoint von einer vertrauenswürdigen Quelle erneut holen.</translation>
    </message>
    <message>
      <source>The checkpoint's activation_fn is {0}, which Joinery does not compute: it may be {1}.</source>
      <translation>Die activation_fn des Checkpoints ist {0}, die Joinery nicht berechnet: möglich ist {1}.</translation>
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
      <source>The checkpoint's quantized weights are read as float32 numbers: {0}{1}.</source>
      <translation>Die quantisierten Gewichte des Checkpoints werden als float32-Zahlen gelesen: {0}{1}.</translation>
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
      <source>The checkpoint's weights are quantized already ({0}), in a form that is not read{1}; get the model in one of {2}, in GGUF, or without quantization.</source>
      <translation>Die Gewichte des Checkpoints sind schon quantisiert ({0}), in einer Form, die nicht gelesen wird{1}; das Modell in einer von {2} holen, in GGUF oder ohne Quantisierung.</translation>
    </message>
    <message>
      <source>The checkpoint's {0} is '{1}', which is not a token id; get it again.</source>
      <translation>{0} des Checkpoints ist „{1}“, was keine Token-ID ist; ihn erneut holen.</translation>
    </message>
    <message>
      <source>The client has left.</source>
      <translation>Der Client ist gegangen.</translation>
    </message>
    <message>
      <source>The comparison was cancelled.</source>
      <translation>Der Vergleich wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The compiled contexts of {0} were made of other graphs, versions or options and are not used: compile them again with `joinery compile`.</source>
      <translation>Die kompilierten Kontexte von {0} entstanden aus anderen Graphen, Versionen oder Optionen und werden nicht verwendet: sie mit `joinery compile` neu kompilieren.</translation>
    </message>
    <message>
      <source>The configuration asks for what Joinery does not run: {0}.</source>
      <translation>Die Konfiguration verlangt, was Joinery nicht ausführt: {0}.</translation>
    </message>
    <message>
      <source>The configuration has settings that Joinery ignores: {0}.</source>
      <translation>Die Konfiguration hat Einstellungen, die Joinery nicht beachtet: {0}.</translation>
    </message>
    <message>
      <source>The configuration of '{0}' cannot be written to {1} ({2}); make room there, or set JOINERY_HOME to another folder.</source>
      <translation>Die Konfiguration von „{0}“ kann nicht nach {1} geschrieben werden ({2}); dort Platz schaffen oder JOINERY_HOME auf einen anderen Ordner setzen.</translation>
    </message>
    <message>
      <source>The connection to another machine is encrypted by ssh: leave the certificate out.</source>
      <translation>Die Verbindung zu einem anderen Rechner verschlüsselt ssh: Lassen Sie das Zertifikat weg.</translation>
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
      <source>The connection to {0} was lost{1}: what ran there was ended.</source>
      <translation>Die Verbindung zu {0} ging verloren{1}: was dort lief, wurde beendet.</translation>
    </message>
    <message>
      <source>The controller jacobi takes a config {"guesses": n} with n from 1 to 16.</source>
      <translation>Der Controller jacobi nimmt eine Konfiguration {"guesses": n} mit n von 1 bis 16.</translation>
    </message>
    <message>
      <source>The controller {0} failed: {1}.</source>
      <translation>Der Controller {0} schlug fehl: {1}.</translation>
    </message>
    <message>
      <source>The conversation cannot be written as JSON: {0}.</source>
      <translation>Das Gespräch kann nicht als JSON geschrieben werden: {0}.</translation>
    </message>
    <message>
      <source>The copy was cancelled; the next one continues it.</source>
      <translation>Das Kopieren wurde abgebrochen; das nächste setzt es fort.</translation>
    </message>
    <message>
      <source>The cpu provider takes no device options, and {0} was given.</source>
      <translation>Der CPU-Provider nimmt keine Geräteoptionen an, und {0} wurde angegeben.</translation>
    </message>
    <message>
      <source>The cross-attention's keys of {0} depend on {1} in {2}, and must depend on the encoder's output only: build the checkpoint with `joinery build`.</source>
      <translation>Die Keys der Cross-Attention von {0} hängen in {2} von {1} ab und dürfen nur von der Ausgabe des Encoders abhängen: den Checkpoint mit `joinery build` bauen.</translation>
    </message>
    <message>
      <source>The data of {0} is no base64.</source>
      <translation>Die Daten von {0} sind kein base64.</translation>
    </message>
    <message>
      <source>The decoder's graphs do not say how many rows of a sound they read: build them again.</source>
      <translation>Die Graphen des Decoders sagen nicht, wie viele Zeilen eines Tons sie lesen: sie neu bauen.</translation>
    </message>
    <message>
      <source>The disk is full; free some space and try again to continue the download.</source>
      <translation>Der Datenträger ist voll; Platz schaffen und zum Fortsetzen noch einmal versuchen.</translation>
    </message>
    <message>
      <source>The disk of {0} is full: a file needs {1} MiB and {2} MiB are free; make room there.</source>
      <translation>Der Datenträger von {0} ist voll: eine Datei braucht {1} MiB, und {2} MiB sind frei; dort Platz schaffen.</translation>
    </message>
    <message>
      <source>The disk of {0} is full: {1} {2} {3}; make room there, or choose a folder on another disk.</source>
      <translation>Der Datenträger von {0} ist voll: {1} {2} {3}; dort Platz schaffen oder einen Ordner auf einem anderen Datenträger wählen.</translation>
    </message>
    <message>
      <source>The domain {0} of {1} is not one that onnxruntime knows: its operators are shown, and cannot run without their library.</source>
      <translation>Die Domäne {0} von {1} kennt onnxruntime nicht: Ihre Operatoren werden gezeigt und können ohne ihre Bibliothek nicht laufen.</translation>
    </message>
    <message>
      <source>The draft is not {0}, which the bundle's file names: it may draft worse.</source>
      <translation>Der Entwurf ist nicht {0}, den die Datei des Bundles nennt: er entwirft vielleicht schlechter.</translation>
    </message>
    <message>
      <source>The element type {0} has no fixed size, so no buffer can be made for it.</source>
      <translation>Der Elementtyp {0} hat keine feste Größe, also kann kein Puffer für ihn angelegt werden.</translation>
    </message>
    <message>
      <source>The end token {0} is beyond the model's ids, which go to {1}: it is never drawn</source>
      <translation>Das Endtoken {0} liegt über den IDs des Modells, die bis {1} gehen: es wird nie gezogen</translation>
    </message>
    <message>
      <source>The experts of {0} stay in float32, {1} MB: {2}.</source>
      <translation>Die Experten von {0} bleiben in float32, {1} MB: {2}.</translation>
    </message>
    <message>
      <source>The export was cancelled.</source>
      <translation>Der Export wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The exported graphs do not run, so passes cannot be compared with them</source>
      <translation>Die exportierten Graphen laufen nicht, also lassen sich Pässe nicht mit ihnen vergleichen</translation>
    </message>
    <message>
      <source>The exported graphs give NaN or infinity for ordinary tokens, so passes cannot be compared with them: this model cannot be built.</source>
      <translation>Die exportierten Graphen liefern NaN oder Unendlich für gewöhnliche Tokens, also lassen sich Pässe nicht mit ihnen vergleichen: dieses Modell kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>The first {0} of {1} runs with steps are drawn.</source>
      <translation>Die ersten {0} von {1} Läufen mit Schritten sind gezeichnet.</translation>
    </message>
    <message>
      <source>The folder {0} holds no {1} file with prompts: {2}.</source>
      <translation>Der Ordner {0} enthält keine Datei {1} mit Eingaben: {2}.</translation>
    </message>
    <message>
      <source>The function {0} of {1} calls itself, so that nothing can run it.</source>
      <translation>Die Funktion {0} von {1} ruft sich selbst auf, daher kann nichts sie ausführen.</translation>
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
      <source>The generation's settings mask every token at step {0}: relax what suppresses, forbids or forces tokens.</source>
      <translation>Die Einstellungen der Erzeugung schließen bei Schritt {0} jedes Token aus: lockern, was Tokens unterdrückt, verbietet oder erzwingt.</translation>
    </message>
    <message>
      <source>The goal perplexity needs prompts of two tokens at least: give others with --prompts.</source>
      <translation>Der Zielwert perplexity braucht Eingaben von mindestens zwei Tokens: mit --prompts andere angeben.</translation>
    </message>
    <message>
      <source>The goal task needs a task: give --task-file with questions and answers.</source>
      <translation>Das Ziel task braucht eine Aufgabe: eine Datei mit Fragen und Antworten angeben.</translation>
    </message>
    <message>
      <source>The goal {0} cannot be {1}: give {2}.</source>
      <translation>Der Zielwert {0} kann nicht {1} sein: {2} angeben.</translation>
    </message>
    <message>
      <source>The goal {0} is not of the form METRIC=VALUE with one of {1}, as top1=0.99.</source>
      <translation>Der Zielwert {0} ist nicht von der Form METRIK=WERT mit einer von {1}, etwa top1=0.99.</translation>
    </message>
    <message>
      <source>The gqa cache is not right for this model, for {0}: build with --cache static.</source>
      <translation>Der Cache gqa ist für dieses Modell nicht richtig, denn {0}: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>The graph declares the scatter cache, but {0}: it runs with the static cache.</source>
      <translation>Der Graph erklärt den Cache scatter, aber {0}: er läuft mit dem Cache static.</translation>
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
      <source>The graph has a cycle through the node {0} ({1}): it waits for its own result, so nothing can run it.</source>
      <translation>Der Graph hat einen Kreis durch den Knoten {0} ({1}): Er wartet auf sein eigenes Ergebnis, daher kann nichts ihn ausführen.</translation>
    </message>
    <message>
      <source>The graph has no input {0}: its inputs are {1}.</source>
      <translation>Der Graph hat keinen Eingang {0}: seine Eingänge sind {1}.</translation>
    </message>
    <message>
      <source>The graph has no output {0}, which is declared as the next value of {1}.</source>
      <translation>Der Graph hat keine Ausgabe {0}, die als nächster Wert von {1} erklärt ist.</translation>
    </message>
    <message>
      <source>The graph has {0} slots and {1}: export it with a symbolic slot axis.</source>
      <translation>Der Graph hat {0} Slots und {1}: ihn mit symbolischer Achse der Slots exportieren.</translation>
    </message>
    <message>
      <source>The graph has {0} slots, which is less than the capacity of {1}.</source>
      <translation>Der Graph hat {0} Slots, weniger als die Kapazität von {1}.</translation>
    </message>
    <message>
      <source>The graph is closed: open the bundle again.</source>
      <translation>Der Graph ist geschlossen: das Bundle erneut öffnen.</translation>
    </message>
    <message>
      <source>The graph is quantized already, by {0} {1}: quantize the floating-point model that it was made from.</source>
      <translation>Der Graph ist schon quantisiert, durch {0} {1}: das Gleitkommamodell quantisieren, aus dem er entstand.</translation>
    </message>
    <message>
      <source>The graph lacks {0}, the other half of layer {1}'s {2} cache.</source>
      <translation>Im Graphen fehlt {0}, die andere Hälfte des Caches {2} von Schicht {1}.</translation>
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
      <source>The graph {0} computes {1} in a form that takes no adapter: build with another precision, or merge the adapters, without adapters=runtime.</source>
      <translation>Der Graph {0} berechnet {1} in einer Form, die keinen Adapter nimmt: mit anderer Präzision bauen oder die Adapter verschmelzen, ohne adapters=runtime.</translation>
    </message>
    <message>
      <source>The graph {0} has the {1} {2}, and the cut gives the {3} {4}: they differ in {5}.</source>
      <translation>Der Graph {0} hat {1} {2}, und der Schnitt ergibt {3} {4}: sie unterscheiden sich in {5}.</translation>
    </message>
    <message>
      <source>The graph's cache has a {0} for layer {1} and no {2}: it needs both.</source>
      <translation>Der Cache des Graphen hat {0} für Schicht {1} und kein {2}: er braucht beides.</translation>
    </message>
    <message>
      <source>The graph's metadata does not list layer {0} of its cache: export it again.</source>
      <translation>Die Metadaten des Graphen führen Schicht {0} seines Caches nicht auf: ihn erneut exportieren.</translation>
    </message>
    <message>
      <source>The graph's metadata {0} is malformed: export it again.</source>
      <translation>Die Metadaten {0} des Graphen sind fehlerhaft: ihn erneut exportieren.</translation>
    </message>
    <message>
      <source>The graphs give the logits of {0} of {1} tokens, and {2} were requested.</source>
      <translation>Die Graphen geben die Logits von {0} von {1} Tokens, und {2} wurden verlangt.</translation>
    </message>
    <message>
      <source>The graphs of prefill and decode divide into different layers, so they run whole only.</source>
      <translation>Die Graphen von Prefill und Decode teilen sich in verschiedene Schichten, laufen also nur im Ganzen.</translation>
    </message>
    <message>
      <source>The graphs of the {0} cache do not run ({1})</source>
      <translation>Die Graphen des Caches {0} laufen nicht ({1})</translation>
    </message>
    <message>
      <source>The graphs read a source or end with a session of its own, so they run whole only.</source>
      <translation>Die Graphen lesen eine Quelle oder enden mit einer eigenen Session, laufen also nur im Ganzen.</translation>
    </message>
    <message>
      <source>The graphs {0} cannot be assembled: {1}</source>
      <translation>Die Graphen {0} lassen sich nicht zusammensetzen: {1}</translation>
    </message>
    <message>
      <source>The graphs' logits are off by {0} from the model's own (of values up to {1}, within {2} tokens{3}), more than rounding explains, so this model cannot be built.</source>
      <translation>Die Logits der Graphen weichen um {0} von denen des Modells ab (bei Werten bis {1}, innerhalb von {2} Tokens{3}), mehr, als Rundung erklärt; dieses Modell kann also nicht gebaut werden.</translation>
    </message>
    <message>
      <source>The history has no build of this bundle, so its times are unknown.</source>
      <translation>Der Verlauf hat keinen Bau dieses Bundles, also sind seine Zeiten unbekannt.</translation>
    </message>
    <message>
      <source>The history has no evaluation of this bundle.</source>
      <translation>Der Verlauf hat keine Bewertung dieses Bundles.</translation>
    </message>
    <message>
      <source>The history has no generation or measurement of this bundle.</source>
      <translation>Der Verlauf hat keine Erzeugung oder Messung dieses Bundles.</translation>
    </message>
    <message>
      <source>The history of runs could not be read and now lies in</source>
      <translation>Der Verlauf der Läufe war nicht lesbar und liegt jetzt in</translation>
    </message>
    <message>
      <source>The history of runs in {0} is damaged ({1}) and now lies in {2}: ask again, and a new one begins.</source>
      <translation>Der Verlauf der Läufe in {0} ist beschädigt ({1}) und liegt jetzt in {2}: noch einmal versuchen, dann beginnt ein neuer.</translation>
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
      <source>The hub at {0} gives no hash for '{1}', so it cannot be checked; use another address for the hub.</source>
      <translation>Der Hub bei {0} gibt keinen Hash für „{1}“, also kann die Datei nicht geprüft werden; eine andere Adresse für den Hub verwenden.</translation>
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
      <translation>Der Hub verweigert {0} mit der Anmeldung dieses Rechners; mit `hf auth login` als jemand anmelden, der es lesen darf.</translation>
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
      <source>The import of {0} failed: {1}.</source>
      <translation>Der Import von {0} schlug fehl: {1}.</translation>
    </message>
    <message>
      <source>The initializer {0} holds {1} bytes, and {2} takes {3}: it cannot be run.</source>
      <translation>Der Initializer {0} enthält {1} Bytes, und {2} braucht {3}: Er kann nicht verwendet werden.</translation>
    </message>
    <message>
      <source>The initializer {0} of {1} has the type {2}, which is none of ONNX's: it cannot be run.</source>
      <translation>Der Initializer {0} von {1} hat den Typ {2}, der keiner von ONNX ist: Er kann nicht verwendet werden.</translation>
    </message>
    <message>
      <source>The initializer {0} of {1} has the {2} {3} in {4}: get it anew.</source>
      <translation>Der Initializer {0} von {1} hat {2} {3} in {4}: neu beschaffen.</translation>
    </message>
    <message>
      <source>The initializer {0} of {1} has {2} bytes in {3}, and needs {4}.</source>
      <translation>Der Initializer {0} von {1} hat {2} Bytes in {3} und braucht {4}.</translation>
    </message>
    <message>
      <source>The initializer {0} of {1} is in a file without a name: its {2} bytes are missing.</source>
      <translation>Der Initializer {0} von {1} liegt in einer Datei ohne Namen: Seine {2} Bytes fehlen.</translation>
    </message>
    <message>
      <source>The input {0} is missing: the graph takes {1}.</source>
      <translation>Der Eingang {0} fehlt: der Graph nimmt {1}.</translation>
    </message>
    <message>
      <source>The input {0} is {1}, and a step feeds {2}.</source>
      <translation>Der Eingang {0} ist {1}, und ein Schritt gibt {2}.</translation>
    </message>
    <message>
      <source>The job diverge needs either a 'prompt' or 'prompt_ids'.</source>
      <translation>Der Auftrag diverge braucht entweder „prompt“ oder „prompt_ids“.</translation>
    </message>
    <message>
      <source>The job generate lacks its 'messages', 'prompt', 'prompt_ids' or 'sound'.</source>
      <translation>Dem Auftrag generate fehlt „messages“, „prompt“, „prompt_ids“ oder „sound“.</translation>
    </message>
    <message>
      <source>The job was cancelled before it began.</source>
      <translation>Der Auftrag wurde abgebrochen, bevor er begann.</translation>
    </message>
    <message>
      <source>The job {0} runs on this machine alone: choose this machine for it.</source>
      <translation>Der Auftrag {0} läuft nur auf diesem Rechner: dafür diesen Rechner wählen.</translation>
    </message>
    <message>
      <source>The job {0} {1}.</source>
      <translation>Der Auftrag {0} {1}.</translation>
    </message>
    <message>
      <source>The last step did not branch, so there is no path to commit: give parents to step.</source>
      <translation>Der letzte Schritt verzweigte nicht, also gibt es keinen Pfad zu übernehmen: dem Schritt Eltern geben.</translation>
    </message>
    <message>
      <source>The layer {0} takes {1} numbers, and it is given {2}.</source>
      <translation>Die Schicht {0} nimmt {1} Zahlen und bekommt {2}.</translation>
    </message>
    <message>
      <source>The list of tools</source>
      <translation>Die Liste der Werkzeuge</translation>
    </message>
    <message>
      <source>The location of the initializer {0} is not a number: download or export the model again.</source>
      <translation>Die Stelle des Initializers {0} ist keine Zahl: Modell erneut herunterladen oder exportieren.</translation>
    </message>
    <message>
      <source>The measurement was cancelled.</source>
      <translation>Die Messung wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The method {0} left a broken graph: {1}; choose another precision.</source>
      <translation>Die Methode {0} hinterließ einen beschädigten Graphen: {1}; eine andere Präzision wählen.</translation>
    </message>
    <message>
      <source>The model defines functions of its own ({0}{1}): a call of one is drawn as one node.</source>
      <translation>Das Modell definiert eigene Funktionen ({0}{1}): ein Aufruf davon wird als ein Knoten gezeichnet.</translation>
    </message>
    <message>
      <source>The model has no encoder that reads a source: give the text as a prompt.</source>
      <translation>Das Modell hat keinen Encoder, der eine Quelle liest: den Text als Eingabe geben.</translation>
    </message>
    <message>
      <source>The model has no token for the task {0}: its tasks are {1}.</source>
      <translation>Das Modell hat kein Token für die Aufgabe {0}: seine Aufgaben sind {1}.</translation>
    </message>
    <message>
      <source>The model has no tokens for times: ask for a transcript without times.</source>
      <translation>Das Modell hat keine Tokens für Zeiten: ein Transkript ohne Zeiten verlangen.</translation>
    </message>
    <message>
      <source>The model is closed: open the bundle again.</source>
      <translation>Das Modell ist geschlossen: das Bundle erneut öffnen.</translation>
    </message>
    <message>
      <source>The model itself answers none of the {0} questions of {1}, so there is no score to keep: check its columns and how replies are judged.</source>
      <translation>Das Modell selbst beantwortet keine der {0} Fragen von {1}, also gibt es kein Ergebnis zu halten: die Spalten prüfen, und wie Antworten beurteilt werden.</translation>
    </message>
    <message>
      <source>The model joinery takes no {0}: give bundle, provider and capacity.</source>
      <translation>Das Modell joinery nimmt {0} nicht an: bundle, provider und capacity angeben.</translation>
    </message>
    <message>
      <source>The model reads its prompt as a whole, so its reply has no given beginning: leave it out.</source>
      <translation>Das Modell liest seine Eingabe als Ganzes, also hat seine Antwort keinen vorgegebenen Anfang: ihn weglassen.</translation>
    </message>
    <message>
      <source>The model reads no {0}: it reads {1}.</source>
      <translation>Das Modell liest kein {0}: es liest {1}.</translation>
    </message>
    <message>
      <source>The model takes a prompt alone, and {0} was given.</source>
      <translation>Das Modell nimmt nur eine Eingabe, und {0} wurde angegeben.</translation>
    </message>
    <message>
      <source>The model takes a prompt alone: leave the other inputs out.</source>
      <translation>Das Modell nimmt nur eine Eingabe: die anderen Eingaben weglassen.</translation>
    </message>
    <message>
      <source>The model transcribes one language and has no others to choose from: leave it out.</source>
      <translation>Das Modell transkribiert eine Sprache und hat keine anderen zur Wahl: sie weglassen.</translation>
    </message>
    <message>
      <source>The model was divided into {0}, and its graphs are {1}.</source>
      <translation>Das Modell wurde in {0} geteilt, und seine Graphen sind {1}.</translation>
    </message>
    <message>
      <source>The model without an adapter</source>
      <translation>Das Modell ohne einen Adapter</translation>
    </message>
    <message>
      <source>The model {0} gives {1}, and this route {2}.</source>
      <translation>Das Modell {0} gibt {1}, und dieser Weg {2}.</translation>
    </message>
    <message>
      <source>The model's loading was cancelled.</source>
      <translation>Das Laden des Modells wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The model's logits are equal for every token (they differ by {0}): a number in config.json, or the weights, are damaged; get the checkpoint again.</source>
      <translation>Die Logits des Modells sind für jedes Token gleich (sie unterscheiden sich um {0}): eine Zahl in config.json oder die Gewichte sind beschädigt; den Checkpoint erneut holen.</translation>
    </message>
    <message>
      <source>The module {0} of {1} is not among its files: install it anew.</source>
      <translation>Das Modul {0} von {1} ist nicht unter seinen Dateien: neu installieren.</translation>
    </message>
    <message>
      <source>The most probable token changed at {0} of the positions</source>
      <translation>Das wahrscheinlichste Token änderte sich an {0} der Positionen</translation>
    </message>
    <message>
      <source>The name {0} is defined twice in the graph: get the graph again.</source>
      <translation>Der Name {0} ist im Graphen zweimal definiert: den Graphen erneut holen.</translation>
    </message>
    <message>
      <source>The nodes of {0} are not in topological order, so no runtime takes it as it is.</source>
      <translation>Die Knoten von {0} sind nicht topologisch geordnet, daher nimmt keine Laufzeitumgebung ihn an, wie er ist.</translation>
    </message>
    <message>
      <source>The number of steps cannot be {0}: give 0 or more.</source>
      <translation>Die Zahl der Schritte kann nicht {0} sein: 0 oder mehr angeben.</translation>
    </message>
    <message>
      <source>The number of tokens is not known, for the last axis of {0} has no number: say it as metadata.vocabulary in --pipeline.</source>
      <translation>Die Zahl der Tokens ist nicht bekannt, denn die letzte Achse von {0} hat keine Zahl: sie als metadata.vocabulary in --pipeline angeben.</translation>
    </message>
    <message>
      <source>The operator set {0} was {1} and is {2}.</source>
      <translation>Der Operatorsatz {0} war {1} und ist {2}.</translation>
    </message>
    <message>
      <source>The other end has a request that is not known here: install one version on both.</source>
      <translation>Die andere Seite hat eine Anfrage, die hier nicht bekannt ist: auf beiden dieselbe Version installieren.</translation>
    </message>
    <message>
      <source>The package soundfile cannot load libsndfile ({0}): pip install --force-reinstall soundfile.</source>
      <translation>Das Paket soundfile kann libsndfile nicht laden ({0}): pip install --force-reinstall soundfile.</translation>
    </message>
    <message>
      <source>The parents {0} form no tree of {1} tokens: each must precede its child.</source>
      <translation>Die Eltern {0} bilden keinen Baum aus {1} Tokens: jedes muss vor seinem Kind stehen.</translation>
    </message>
    <message>
      <source>The part '{0}'{1} is missing: put all parts into one folder.</source>
      <translation>Der Teil „{0}“{1} fehlt: alle Teile in einen Ordner legen.</translation>
    </message>
    <message>
      <source>The pass {0} broke its promise: {1} (after {2}); switch it off.</source>
      <translation>Der Pass {0} hielt seine Zusage nicht: {1} (nach {2}); ihn ausschalten.</translation>
    </message>
    <message>
      <source>The pass {0} changed what {1} computes by {2} (of values up to {3}, {4} of {5} tokens alike), more than rounding explains. {6}</source>
      <translation>Der Pass {0} änderte das Ergebnis von {1} um {2} (bei Werten bis {3}, {4} von {5} Tokens gleich), mehr, als Rundung erklärt. {6}</translation>
    </message>
    <message>
      <source>The pass {0} left a {1} that does not run: {2} {3}</source>
      <translation>Der Pass {0} hinterließ {1}, das nicht läuft: {2} {3}</translation>
    </message>
    <message>
      <source>The path of Joinery on the machine has control characters: give it without.</source>
      <translation>Der Pfad von Joinery auf dem Rechner hat Steuerzeichen: ihn ohne angeben.</translation>
    </message>
    <message>
      <source>The pattern</source>
      <translation>Das Muster</translation>
    </message>
    <message>
      <source>The pattern of row {0} of {1}</source>
      <translation>Das Muster von Zeile {0} von {1}</translation>
    </message>
    <message>
      <source>The pattern {0} took more than {1} s on a reply of {2} characters: write it so that it does not try the same characters again and again.</source>
      <translation>Das Muster {0} brauchte mehr als {1} s für eine Antwort von {2} Zeichen: es so schreiben, dass es nicht dieselben Zeichen immer wieder versucht.</translation>
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
      <source>The picture tokens of a processor_class {0} are not known: there are {1}.</source>
      <translation>Die Bild-Tokens einer processor_class {0} sind nicht bekannt: es gibt {1}.</translation>
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
      <source>The pipeline</source>
      <translation>Die Pipeline</translation>
    </message>
    <message>
      <source>The pipeline file</source>
      <translation>Die Pipeline-Datei</translation>
    </message>
    <message>
      <source>The pipeline has no pipeline.state.kv_cache, and only composites with a cache are put together.</source>
      <translation>Die Pipeline hat kein pipeline.state.kv_cache, und nur zusammengesetzte Modelle mit Cache werden zusammengefügt.</translation>
    </message>
    <message>
      <source>The pipeline has no session for the graph {0}: add one, or leave the graph out.</source>
      <translation>Die Pipeline hat keine Session für den Graphen {0}: eine ergänzen oder den Graphen weglassen.</translation>
    </message>
    <message>
      <source>The pipeline has the session {0}, and no graph was given for it: give one of that name.</source>
      <translation>Die Pipeline hat die Session {0}, und kein Graph wurde dafür angegeben: einen dieses Namens angeben.</translation>
    </message>
    <message>
      <source>The pipeline was not compared with the graphs, for the package {0} is not installed.</source>
      <translation>Die Pipeline wurde nicht mit den Graphen verglichen, denn das Paket {0} ist nicht installiert.</translation>
    </message>
    <message>
      <source>The pipeline {0} cannot be read: {1}.</source>
      <translation>Die Pipeline {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The pipeline {0} is not a JSON object: give a pipeline.json, or keys of one.</source>
      <translation>Die Pipeline {0} ist kein JSON-Objekt: eine pipeline.json oder Schlüssel davon angeben.</translation>
    </message>
    <message>
      <source>The pipeline {0} is {1}, which may have no end: give a file.</source>
      <translation>Die Pipeline {0} ist {1}, was kein Ende haben könnte: eine Datei angeben.</translation>
    </message>
    <message>
      <source>The pipeline {0} {1}: give another one.</source>
      <translation>Die Pipeline {0} {1}: eine andere angeben.</translation>
    </message>
    <message>
      <source>The plan {0} cannot be read: {1}.</source>
      <translation>Der Plan {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The plan {0} has a recipe {1} that cannot be used: {2}</source>
      <translation>Der Plan {0} hat ein Rezept {1}, das nicht verwendbar ist: {2}</translation>
    </message>
    <message>
      <source>The plan {0} is larger than {1} MiB.</source>
      <translation>Der Plan {0} ist größer als {1} MiB.</translation>
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
      <source>The plan {0} lists a machine that cannot be used: {1}</source>
      <translation>Der Plan {0} führt einen Rechner auf, der nicht verwendbar ist: {1}</translation>
    </message>
    <message>
      <source>The plan {0} lists the provider {1}, which does not exist: choose from {2}.</source>
      <translation>Der Plan {0} führt den Provider {1} auf, den es nicht gibt: aus {2} wählen.</translation>
    </message>
    <message>
      <source>The plan {0} {1}.</source>
      <translation>Der Plan {0} {1}.</translation>
    </message>
    <message>
      <source>The plan {0} {1}: `joinery sweep --help` and the page Sweeps list its keys.</source>
      <translation>Der Plan {0} {1}: `joinery sweep --help` und die Seite Sweeps führen seine Schlüssel auf.</translation>
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
      <source>The plugins of {0} were not allowed to run: see `joinery plugins list`.</source>
      <translation>Die Plug-ins von {0} durften nicht laufen: siehe `joinery plugins list`.</translation>
    </message>
    <message>
      <source>The precision stored is for checkpoints whose weights are stored in blocks of integers, such as GGUF, and this one stores {0}: choose int8 or int4.</source>
      <translation>Die Präzision stored ist für Checkpoints, deren Gewichte in Ganzzahlblöcken gespeichert sind, etwa GGUF, und dieser speichert {0}: int8 oder int4 wählen.</translation>
    </message>
    <message>
      <source>The precision stored is for decoders and text encoders, whose weights are taken from their file one by one, and not for the family {0}: build with --precision fp32, which has the same numbers, or int8.</source>
      <translation>Die Präzision stored ist für Decoder und Text-Encoder, deren Gewichte einzeln aus ihrer Datei genommen werden, und nicht für die Familie {0}: mit --precision fp32 bauen, das dieselben Zahlen hat, oder mit int8.</translation>
    </message>
    <message>
      <source>The process of this step {0}{1}</source>
      <translation>Der Prozess dieses Schritts {0}{1}</translation>
    </message>
    <message>
      <source>The process on {0} {1}: start it again.</source>
      <translation>Der Prozess auf {0} {1}: ihn erneut starten.</translation>
    </message>
    <message>
      <source>The process that compiled {0}.</source>
      <translation>Der Prozess, der kompilierte, {0}.</translation>
    </message>
    <message>
      <source>The process that loaded its library {0}.</source>
      <translation>Der Prozess, der seine Bibliothek lud, {0}.</translation>
    </message>
    <message>
      <source>The process that measured {0} on {1} {2}.</source>
      <translation>Der Prozess, der {0} auf {1} maß, {2}.</translation>
    </message>
    <message>
      <source>The process that ran the code of {0} {1}{2}.</source>
      <translation>Der Prozess, der den Code von {0} ausführte, {1}{2}.</translation>
    </message>
    <message>
      <source>The process that read '{0}' {1}, so the file is refused: {2}.</source>
      <translation>Der Prozess, der „{0}“ las, {1}, also wird die Datei abgelehnt: {2}.</translation>
    </message>
    <message>
      <source>The process that runs {0} has ended: send the request again.</source>
      <translation>Der Prozess, der {0} ausführt, ist beendet: die Anfrage erneut senden.</translation>
    </message>
    <message>
      <source>The process that tried {0} {1}.</source>
      <translation>Der Prozess, der {0} erprobte, {1}.</translation>
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
      <source>The prompt file {0} cannot be read: {1}.</source>
      <translation>Die Datei mit Eingaben {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The prompt file {0} is empty: give a text file with a prompt a line.</source>
      <translation>Die Datei mit Eingaben {0} ist leer: eine Textdatei mit einer Eingabe je Zeile angeben.</translation>
    </message>
    <message>
      <source>The prompt file {0} is no UTF-8 text: give a text file with a prompt a line.</source>
      <translation>Die Datei mit Eingaben {0} ist kein UTF-8-Text: eine Textdatei mit einer Eingabe je Zeile angeben.</translation>
    </message>
    <message>
      <source>The prompt file {0} is {1}, which may have no end: give a text file.</source>
      <translation>Die Datei mit Eingaben {0} ist {1}, was kein Ende haben könnte: eine Textdatei angeben.</translation>
    </message>
    <message>
      <source>The prompt has no placeholders for {0} of its pictures.</source>
      <translation>Die Eingabe hat für {0} ihrer Bilder keine Platzhalter.</translation>
    </message>
    <message>
      <source>The prompt has no tokens: give a text, or ids.</source>
      <translation>Die Eingabe hat keine Tokens: einen Text oder IDs angeben.</translation>
    </message>
    <message>
      <source>The prompt has the id {0}, and the vocabulary those from 0 to {1}.</source>
      <translation>Die Eingabe hat die ID {0}, und das Vokabular die von 0 bis {1}.</translation>
    </message>
    <message>
      <source>The prompt has {0} placeholders for {1} features (token {2}), and there are {3} feature rows: they must be as many.</source>
      <translation>Die Eingabe hat {0} Platzhalter für {1}-Merkmale (Token {2}), und es gibt {3} Merkmalszeilen: es müssen gleich viele sein.</translation>
    </message>
    <message>
      <source>The prompt has {0} placeholders {1} for {2} pictures: each picture needs one.</source>
      <translation>Die Eingabe hat {0} Platzhalter {1} für {2} Bilder: jedes Bild braucht einen.</translation>
    </message>
    <message>
      <source>The prompt has {0} placeholders {1} for {2} recordings: each recording needs one.</source>
      <translation>Die Eingabe hat {0} Platzhalter {1} für {2} Aufnahmen: jede Aufnahme braucht einen.</translation>
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
      <source>The prompt has {0} tokens, and --prompt-tokens asks for {1}.</source>
      <translation>Die Eingabe hat {0} Tokens, und --prompt-tokens verlangt {1}.</translation>
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
      <source>The prompt that guidance leads away from.</source>
      <translation>Die Eingabe, von der Guidance wegführt.</translation>
    </message>
    <message>
      <source>The prompt's picture placeholders do not match the grids: each picture needs one contiguous run.</source>
      <translation>Die Bild-Platzhalter der Eingabe passen nicht zu den Rastern: jedes Bild braucht einen zusammenhängenden Lauf.</translation>
    </message>
    <message>
      <source>The prompts that activations are calibrated with have no sound, so the ranges of the encoder and of what reads it are not those of speech, and replies may be far off: measure the bundle with recordings, or build it in int8.</source>
      <translation>Die Eingaben, mit denen Aktivierungen kalibriert werden, haben keinen Ton; die Bereiche des Encoders und dessen, was ihn liest, sind daher nicht die von Sprache, und Antworten können weit danebenliegen: das Bundle mit Aufnahmen messen oder in int8 bauen.</translation>
    </message>
    <message>
      <source>The quantization_config of this {0} checkpoint says {1} = {2}, which is no such number: get config.json again.</source>
      <translation>Die quantization_config dieses {0}-Checkpoints sagt {1} = {2}, was keine solche Zahl ist: config.json erneut holen.</translation>
    </message>
    <message>
      <source>The quantized graphs do not run: {0}</source>
      <translation>Die quantisierten Graphen laufen nicht: {0}</translation>
    </message>
    <message>
      <source>The reading of the weights was cancelled.</source>
      <translation>Das Lesen der Gewichte wurde abgebrochen.</translation>
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
      <source>The recording is longer than the {0} s that the model hears at once, and the model has no tokens for times, by which it would go on: give a shorter one.</source>
      <translation>Die Aufnahme ist länger als die {0} s, die das Modell auf einmal hört, und das Modell hat keine Tokens für Zeiten, mit denen es weitermachen würde: eine kürzere geben.</translation>
    </message>
    <message>
      <source>The recording lacks a value ({0}): record it again with these bundles.</source>
      <translation>Der Aufzeichnung fehlt ein Wert ({0}): sie mit diesen Bundles neu aufzeichnen.</translation>
    </message>
    <message>
      <source>The reference has {0} tokens in its vocabulary and the candidate {1}: only bundles of one checkpoint, or with one vocabulary, can be compared.</source>
      <translation>Die Referenz hat {0} Tokens im Vokabular und der Kandidat {1}: nur Bundles eines Checkpoints oder mit einem Vokabular lassen sich vergleichen.</translation>
    </message>
    <message>
      <source>The reply cannot go on by the {0}: {1}.</source>
      <translation>Die Antwort kann nach {0} nicht weitergehen: {1}.</translation>
    </message>
    <message>
      <source>The request took longer than this server allows.</source>
      <translation>Die Anfrage dauerte länger, als dieser Server erlaubt.</translation>
    </message>
    <message>
      <source>The result of {0} cannot be written: {1}</source>
      <translation>Das Ergebnis von {0} kann nicht geschrieben werden: {1}</translation>
    </message>
    <message>
      <source>The rows of {0} have recordings and no questions to rank weights by: give texts with --prompts.</source>
      <translation>Die Zeilen von {0} haben Aufnahmen und keine Fragen, um Gewichte danach zu ordnen: mit --prompts Texte angeben.</translation>
    </message>
    <message>
      <source>The run could not be kept in the history: {0}</source>
      <translation>Der Lauf konnte nicht im Verlauf gespeichert werden: {0}</translation>
    </message>
    <message>
      <source>The run on {0} could not be kept in the history: {1}</source>
      <translation>Der Lauf auf {0} konnte nicht im Verlauf gespeichert werden: {1}</translation>
    </message>
    <message>
      <source>The run {0} in the history cannot be read: {1}.</source>
      <translation>Der Lauf {0} im Verlauf kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The scheduler at {0} has no workers: start some with `dask worker`.</source>
      <translation>Der Scheduler bei {0} hat keine Worker: einige mit `dask worker` starten.</translation>
    </message>
    <message>
      <source>The scheduler at {0} is gone: start it again with its workers, and run the same command, which goes on.</source>
      <translation>Der Scheduler bei {0} ist weg: ihn mit seinen Workern neu starten und denselben Befehl ausführen, der weitermacht.</translation>
    </message>
    <message>
      <source>The score is made of the logit of token {0}, and the model knows {1} tokens: correct config.json of the module LogitScore.</source>
      <translation>Die Bewertung wird aus dem Logit von Token {0} gemacht, und das Modell kennt {1} Tokens: config.json des Moduls LogitScore berichtigen.</translation>
    </message>
    <message>
      <source>The search</source>
      <translation>Die Suche</translation>
    </message>
    <message>
      <source>The search for the divergence was cancelled.</source>
      <translation>Die Suche nach der Abweichung wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The server there wrote {0}, which is no event.</source>
      <translation>Der Server dort schrieb {0}, was kein Ereignis ist.</translation>
    </message>
    <message>
      <source>The server's setting {0} cannot be{1}: {2}.</source>
      <translation>Die Einstellung {0} des Servers kann nicht{1} sein: {2}.</translation>
    </message>
    <message>
      <source>The server's settings do not go together: {0}.</source>
      <translation>Die Einstellungen des Servers passen nicht zusammen: {0}.</translation>
    </message>
    <message>
      <source>The session options cannot be: {0}{1}.</source>
      <translation>Die Session-Optionen sind so nicht möglich: {0}{1}.</translation>
    </message>
    <message>
      <source>The settings of the pictures do not say their height and width: add a size with both.</source>
      <translation>Die Einstellungen der Bilder sagen ihre Höhe und Breite nicht: eine Größe mit beiden ergänzen.</translation>
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
      <source>The sound file {0} lasts {1} ms, of which the encoder makes nothing: give a longer recording.</source>
      <translation>Die Tondatei {0} dauert {1} ms, woraus der Encoder nichts macht: eine längere Aufnahme angeben.</translation>
    </message>
    <message>
      <source>The sound tokens of a processor_class {0} are not known: there are {1}.</source>
      <translation>Die Ton-Tokens einer processor_class {0} sind nicht bekannt: es gibt {1}.</translation>
    </message>
    <message>
      <source>The source has {0} tokens and the encoder reads {1} at most: {2}.</source>
      <translation>Die Quelle hat {0} Tokens, und der Encoder liest höchstens {1}: {2}.</translation>
    </message>
    <message>
      <source>The sparse initializer {0} stands for {1} bytes, more than a graph's file can hold: a runtime may fail to make room for it.</source>
      <translation>Der dünn besetzte Initializer {0} steht für {1} Bytes, mehr als die Datei eines Graphen fasst: Eine Laufzeitumgebung hat vielleicht keinen Platz dafür.</translation>
    </message>
    <message>
      <source>The spectrogram has {0} mels and the encoder reads {1}.</source>
      <translation>Das Spektrogramm hat {0} Mels, und der Encoder liest {1}.</translation>
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
      <source>The step was cancelled.</source>
      <translation>Der Schritt wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The steps of the run {0} in the history cannot be read: step {1} has no time.</source>
      <translation>Die Schritte des Laufs {0} im Verlauf können nicht gelesen werden: Schritt {1} hat keine Zeit.</translation>
    </message>
    <message>
      <source>The steps of the run {0} in the history cannot be read: {1}.</source>
      <translation>Die Schritte des Laufs {0} im Verlauf können nicht gelesen werden: {1}.</translation>
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
      <source>The task {0} must be a file of {1}.</source>
      <translation>Die Aufgabe {0} muss eine Datei von {1} sein.</translation>
    </message>
    <message>
      <source>The tensor '{0}' is in '{1}' and in '{2}', which is ambiguous; get the parts of one model.</source>
      <translation>Der Tensor „{0}“ ist in „{1}“ und in „{2}“, was mehrdeutig ist; die Teile eines Modells holen.</translation>
    </message>
    <message>
      <source>The tensor '{0}' is in '{1}' and in '{2}', which is ambiguous; the checkpoint is refused.</source>
      <translation>Der Tensor „{0}“ ist in „{1}“ und in „{2}“, was mehrdeutig ist; der Checkpoint wird abgelehnt.</translation>
    </message>
    <message>
      <source>The tensor '{0}' is stored in {1}, which PyTorch does not read: get the checkpoint in another number format.</source>
      <translation>Der Tensor „{0}“ ist in {1} gespeichert, was PyTorch nicht liest: den Checkpoint in einem anderen Zahlenformat holen.</translation>
    </message>
    <message>
      <source>The text can go back to the {0} emitted tokens, not to {1}.</source>
      <translation>Der Text kann auf die {0} ausgegebenen Tokens zurückgehen, nicht auf {1}.</translation>
    </message>
    <message>
      <source>The text part of this checkpoint is {0}, for which transformers has no causal LM, so it cannot be built alone.</source>
      <translation>Der Textteil dieses Checkpoints ist {0}, wofür transformers kein kausales LM hat, kann also nicht allein gebaut werden.</translation>
    </message>
    <message>
      <source>The text was cancelled before a row was free.</source>
      <translation>Der Text wurde abgebrochen, bevor eine Zeile frei war.</translation>
    </message>
    <message>
      <source>The texts were not read to the end.</source>
      <translation>Die Texte wurden nicht zu Ende gelesen.</translation>
    </message>
    <message>
      <source>The times of words are of one transcript: ask for them without beams.</source>
      <translation>Die Zeiten von Wörtern sind die eines Transkripts: sie ohne Beams verlangen.</translation>
    </message>
    <message>
      <source>The times of words follow from the decoder's attention, which this bundle does not give: build it with --set expose=alignment.</source>
      <translation>Die Zeiten von Wörtern folgen aus der Attention des Decoders, die dieses Bundle nicht gibt: es mit --set expose=alignment bauen.</translation>
    </message>
    <message>
      <source>The token is missing or wrong: send it as Authorization: Bearer.</source>
      <translation>Das Token fehlt oder ist falsch: als Authorization: Bearer senden.</translation>
    </message>
    <message>
      <source>The token {0} is a placeholder for {1} features, and none are left for it.</source>
      <translation>Das Token {0} ist ein Platzhalter für {1}-Merkmale, und dafür sind keine mehr da.</translation>
    </message>
    <message>
      <source>The token {0} is not in the vocabulary, whose ids go to {1}.</source>
      <translation>Das Token {0} ist nicht im Vokabular, dessen IDs bis {1} gehen.</translation>
    </message>
    <message>
      <source>The tokenizer knows {0} (id {1}){2}, and the model's ids go to {3}: a text with such a token is refused.</source>
      <translation>Der Tokenizer kennt {0} (ID {1}){2}, und die IDs des Modells gehen bis {3}: ein Text mit einem solchen Token wird abgelehnt.</translation>
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
      <source>The tokens of a run cannot branch in this {0} cache: feed a chain.</source>
      <translation>Die Tokens eines Laufs können in diesem Cache {0} nicht verzweigen: eine Kette geben.</translation>
    </message>
    <message>
      <source>The tokens {0} form no path: each must be a child of the one before.</source>
      <translation>Die Tokens {0} bilden keinen Pfad: jedes muss ein Kind des vorherigen sein.</translation>
    </message>
    <message>
      <source>The tool {0} has parameters that are no JSON schema: give an object.</source>
      <translation>Das Werkzeug {0} hat parameters, die kein JSON-Schema sind: ein Objekt angeben.</translation>
    </message>
    <message>
      <source>The transformer-only variant attends by GroupQueryAttention, which needs --cache gqa, not {0}.</source>
      <translation>Die Variante transformer-only verwendet GroupQueryAttention, das --cache gqa braucht, nicht {0}.</translation>
    </message>
    <message>
      <source>The transformer-only variant cannot be built from this model: </source>
      <translation>Die Variante transformer-only kann aus diesem Modell nicht gebaut werden: </translation>
    </message>
    <message>
      <source>The transformer-only variant is not right for this model: {0}; build the plain variant.</source>
      <translation>Die Variante transformer-only ist für dieses Modell nicht richtig: {0}; die Variante plain bauen.</translation>
    </message>
    <message>
      <source>The tuning was cancelled.</source>
      <translation>Das Abstimmen wurde abgebrochen.</translation>
    </message>
    <message>
      <source>The two keep their weights in different files, whose values were not compared.</source>
      <translation>Die beiden halten ihre Gewichte in verschiedenen Dateien, deren Werte nicht verglichen wurden.</translation>
    </message>
    <message>
      <source>The two take prompts in different chunks, so both were fed token by token.</source>
      <translation>Die beiden nehmen Eingaben in verschiedenen Blöcken, also bekamen beide ein Token nach dem anderen.</translation>
    </message>
    <message>
      <source>The value {0} of {1} has the type {2}, which is none of ONNX's: it cannot be run.</source>
      <translation>Der Wert {0} von {1} hat den Typ {2}, der keiner von ONNX ist: Er kann nicht verwendet werden.</translation>
    </message>
    <message>
      <source>The values of {0} are in {1}, which is not there.</source>
      <translation>Die Werte von {0} liegen in {1}, und das gibt es nicht.</translation>
    </message>
    <message>
      <source>The values of {0} at this stage are not kept: a later pass replaced them, and the bundle holds the weights of the final graph.</source>
      <translation>Die Werte von {0} auf dieser Stufe sind nicht aufbewahrt: Ein späterer Pass hat sie ersetzt, und das Bundle hält die Gewichte des fertigen Graphen.</translation>
    </message>
    <message>
      <source>The vectors of {0} have {1} numbers.</source>
      <translation>Die Vektoren von {0} haben {1} Zahlen.</translation>
    </message>
    <message>
      <source>The weight of '{0}' cannot be read as {1}: {2}; get the checkpoint again, or another quantization of the same model.</source>
      <translation>Das Gewicht von „{0}“ kann nicht als {1} gelesen werden: {2}; den Checkpoint erneut holen oder eine andere Quantisierung desselben Modells.</translation>
    </message>
    <message>
      <source>The weight {0} cannot be read from {1} ({2}): leave the checkpoint where it is until the build ends.</source>
      <translation>Das Gewicht {0} lässt sich aus {1} nicht lesen ({2}): den Checkpoint an seinem Ort lassen, bis der Build endet.</translation>
    </message>
    <message>
      <source>The weights in {0} need {1} of disk and {2} are free beside {3}: make room, choose a folder on another disk{4}, {5}.</source>
      <translation>Die Gewichte in {0} brauchen {1} Platz, und {2} sind neben {3} frei: Platz schaffen, einen Ordner auf einem anderen Datenträger wählen{4}, {5}.</translation>
    </message>
    <message>
      <source>The weights of {0} are missing: there is no {1} beside it.</source>
      <translation>Die Gewichte von {0} fehlen: Daneben liegt kein {1}.</translation>
    </message>
    <message>
      <source>The weights of {0} stay in their file, for {1} and a copy takes {2}: prompts take up to {3} times as long, new tokens {4} times.</source>
      <translation>Die Gewichte von {0} bleiben in ihrer Datei, denn {1} und eine Kopie braucht {2}: Eingaben dauern bis zu {3}-mal so lang, neue Tokens {4}-mal.</translation>
    </message>
    <message>
      <source>The window keeps {0} sink tokens, so a capacity of {1} leaves no room.</source>
      <translation>Das Fenster behält {0} Sink-Tokens, also lässt eine Kapazität von {1} keinen Platz.</translation>
    </message>
    <message>
      <source>The window of {0} tokens is full: the oldest tokens are being forgotten.</source>
      <translation>Das Fenster von {0} Tokens ist voll: die ältesten Tokens werden vergessen.</translation>
    </message>
    <message>
      <source>The worker could not run this step: {0}: {1}.</source>
      <translation>Der Worker konnte diesen Schritt nicht ausführen: {0}: {1}.</translation>
    </message>
    <message>
      <source>The worker gave no answer.</source>
      <translation>Der Worker gab keine Antwort.</translation>
    </message>
    <message>
      <source>The worker on {0} does not see {1}: all machines need the folder under this path.</source>
      <translation>Der Worker auf {0} sieht {1} nicht: alle Rechner brauchen den Ordner unter diesem Pfad.</translation>
    </message>
    <message>
      <source>The worker {0} {1}.</source>
      <translation>Der Worker {0} {1}.</translation>
    </message>
    <message>
      <source>The worker's answer cannot be read: {0}.</source>
      <translation>Die Antwort des Workers ist nicht lesbar: {0}.</translation>
    </message>
    <message>
      <source>The workers of a cluster are the scheduler's: leave --workers out.</source>
      <translation>Die Worker eines Clusters sind Sache des Schedulers: --workers weglassen.</translation>
    </message>
    <message>
      <source>The workers of a cluster measure where they run: leave {0} out of 'machines', or --scheduler.</source>
      <translation>Die Worker eines Clusters messen, wo sie laufen: {0} aus „machines“ nehmen oder --scheduler weglassen.</translation>
    </message>
    <message>
      <source>The workers that ran this step died, one after the other: see their logs, and their memory.</source>
      <translation>Die Worker, die diesen Schritt ausführten, starben einer nach dem anderen: ihre Protokolle und ihren Speicher ansehen.</translation>
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
      <source>The {0} cannot be run: a later step replaced its weight {1}, which is not kept. Choose a later stage, or a bundle of full precision.</source>
      <translation>Die Stufe {0} kann nicht laufen: ein späterer Schritt ersetzte ihr Gewicht {1}, das nicht erhalten ist. Eine spätere Stufe wählen oder ein Bundle voller Präzision.</translation>
    </message>
    <message>
      <source>The {0} cannot be used: {1}.</source>
      <translation>{0} kann nicht verwendet werden: {1}.</translation>
    </message>
    <message>
      <source>The {0} file {1} cannot be read: {2}.</source>
      <translation>Die {0}-Datei {1} kann nicht gelesen werden: {2}.</translation>
    </message>
    <message>
      <source>The {0} file {1} is {2}: give a file.</source>
      <translation>Die {0}-Datei {1} ist {2}: eine Datei angeben.</translation>
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
      <source>The {0} step at position {1} gave {2} ({3}), from which no token can be chosen: build the bundle with another precision (fp32), check the checkpoint's weights, or try the cpu provider.</source>
      <translation>Der Schritt {0} an Position {1} ergab {2} ({3}), woraus kein Token gewählt werden kann: das Bundle mit anderer Präzision (fp32) bauen, die Gewichte des Checkpoints prüfen oder den Provider cpu versuchen.</translation>
    </message>
    <message>
      <source>The {0} step failed on {1}: {2}; open the bundle again, or use another provider.</source>
      <translation>Der Schritt {0} schlug auf {1} fehl: {2}; das Bundle erneut öffnen oder einen anderen Provider verwenden.</translation>
    </message>
    <message>
      <source>The {0} task</source>
      <translation>Die Aufgabe {0}</translation>
    </message>
    <message>
      <source>The {0} tokens of a picture attend to each other, so they go through the decoder in one run: set chunk to {1} or more.</source>
      <translation>Die {0} Tokens eines Bildes sehen einander, gehen also in einem Lauf durch den Decoder: chunk auf {1} oder mehr setzen.</translation>
    </message>
    <message>
      <source>The {0} {1} is not a file: give the path of its graph.</source>
      <translation>{0} {1} ist keine Datei: den Pfad des Graphen angeben.</translation>
    </message>
    <message>
      <source>The {0} {1} was {2} and is {3}.</source>
      <translation>{0} {1} war {2} und ist {3}.</translation>
    </message>
    <message>
      <source>The {0} {1} {2} was {3}.</source>
      <translation>{0} {1} {2} war {3}.</translation>
    </message>
    <message>
      <source>The {0}'s graphs note no layers, so there are no hidden states to compare.</source>
      <translation>Die Graphen von {0} vermerken keine Schichten, also gibt es keine verborgenen Zustände zu vergleichen.</translation>
    </message>
    <message>
      <source>There are no tools to call: give --tools with --tool-calls.</source>
      <translation>Es gibt keine Werkzeuge zum Aufrufen: zu --tool-calls auch --tools angeben.</translation>
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
      <source>There is no model {0}: {1} are served.</source>
      <translation>Es gibt kein Modell {0}: Angeboten werden {1}.</translation>
    </message>
    <message>
      <source>There is no picture to classify: give one or more.</source>
      <translation>Es gibt kein Bild zu klassifizieren: eines oder mehrere angeben.</translation>
    </message>
    <message>
      <source>There is no pip to install the build part with: install joinery[{0}] with the tool that made this environment.</source>
      <translation>Es gibt kein pip, um den Teil zum Bauen zu installieren: joinery[{0}] mit dem Werkzeug installieren, das diese Umgebung angelegt hat.</translation>
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
      <source>There is no task file {0}: check the path.</source>
      <translation>Es gibt keine Aufgabendatei {0}: den Pfad prüfen.</translation>
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
      <source>There is no {0}: check the path.</source>
      <translation>Es gibt kein {0}: den Pfad prüfen.</translation>
    </message>
    <message>
      <source>There is no {0}: see /v1/models for what is served.</source>
      <translation>Es gibt kein {0}: Unter /v1/models steht, was angeboten wird.</translation>
    </message>
    <message>
      <source>There is nothing at {0}: give an .onnx file or BUNDLE[:COMPONENT[:STAGE]].</source>
      <translation>Bei {0} gibt es nichts: eine .onnx-Datei oder BUNDLE[:KOMPONENTE[:STUFE]] angeben.</translation>
    </message>
    <message>
      <source>There is {0} with {1}: `joinery runs list` shows them.</source>
      <translation>Es gibt {0} mit {1}: `joinery runs list` zeigt sie.</translation>
    </message>
    <message>
      <source>These files are named and not imported: {0}.</source>
      <translation>Diese Dateien werden genannt und nicht importiert: {0}.</translation>
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
      <source>This bundle has no chat template, so that tool calls have no form: leave --tool-calls out.</source>
      <translation>Dieses Bundle hat keine Chat-Vorlage, also haben Werkzeugaufrufe keine Form: --tool-calls weglassen.</translation>
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
      <source>This bundle has no chat template: leave --apply_chat_template out.</source>
      <translation>Dieses Bundle hat keine Chat-Vorlage: --apply_chat_template weglassen.</translation>
    </message>
    <message>
      <source>This bundle has no recipe.</source>
      <translation>Dieses Bundle hat kein Rezept.</translation>
    </message>
    <message>
      <source>This bundle has no record of its stages.</source>
      <translation>Dieses Bundle hat kein Verzeichnis seiner Stufen.</translation>
    </message>
    <message>
      <source>This bundle has no tokenizer, so its replies cannot be constrained: leave the grammar out.</source>
      <translation>Dieses Bundle hat keinen Tokenizer, also lassen sich seine Antworten nicht einschränken: die Grammatik weglassen.</translation>
    </message>
    <message>
      <source>This bundle has no tokenizer, so there are no sentences to try it on: give --prompts with a file of ids, a prompt a line, as 1,2,3.</source>
      <translation>Dieses Bundle hat keinen Tokenizer, also gibt es keine Sätze zum Ausprobieren: mit --prompts eine Datei von IDs angeben, je Zeile eine Eingabe, als 1,2,3.</translation>
    </message>
    <message>
      <source>This bundle has no tokenizer: give the prompt as ids with --prompt-ids.</source>
      <translation>Dieses Bundle hat keinen Tokenizer: die Eingabe als IDs mit --prompt-ids angeben.</translation>
    </message>
    <message>
      <source>This bundle keeps state of fixed size and no slots, so the {0} cache has no use.</source>
      <translation>Dieses Bundle hat Zustand fester Größe und keine Slots, also ist der Cache {0} nutzlos.</translation>
    </message>
    <message>
      <source>This bundle's chat template does not tell how it writes tool calls</source>
      <translation>Die Chat-Vorlage dieses Bundles sagt nicht, wie es Werkzeugaufrufe schreibt</translation>
    </message>
    <message>
      <source>This bundle's graph was built for the cache {0}, and {1} needs another graph: build one with --cache {2}.</source>
      <translation>Der Graph dieses Bundles wurde für den Cache {0} gebaut, und {1} braucht einen anderen: einen mit --cache {2} bauen.</translation>
    </message>
    <message>
      <source>This bundle's tokenizer cannot be held to a form: {0}.</source>
      <translation>Der Tokenizer dieses Bundles lässt sich nicht an eine Form halten: {0}.</translation>
    </message>
    <message>
      <source>This checkpoint would run its own Python code: {0}{1}; read these files, and if you trust them say so with --trust-remote-code.</source>
      <translation>Dieser Checkpoint würde eigenen Python-Code ausführen: {0}{1}; diese Dateien lesen und ihnen, wenn sie vertrauenswürdig sind, zustimmen.</translation>
    </message>
    <message>
      <source>This connection runs a process already.</source>
      <translation>Diese Verbindung führt schon einen Prozess aus.</translation>
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
      <source>This model adds a learned position to each key when a token attends to it, which no cache layout supports: it cannot be built.</source>
      <translation>Dieses Modell addiert eine gelernte Position zu jedem Key, den ein Token sieht, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>This model computes its logits in a second stream of hidden states, which attends to the keys of the first, and no cache layout supports that: it cannot be built.</source>
      <translation>Dieses Modell berechnet seine Logits in einem zweiten Strom verborgener Zustände, der die Keys des ersten sieht, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>This model computes the keys and values of its attention from those that it caches, and the {0} cache attends to these as they are: build with --cache static or window.</source>
      <translation>Dieses Modell berechnet die Keys und Values seiner Attention aus denen im Cache, und der Cache {0} sieht diese, wie sie sind: mit --cache static oder window bauen.</translation>
    </message>
    <message>
      <source>This model does not support early_exit: </source>
      <translation>Dieses Modell unterstützt early_exit nicht: </translation>
    </message>
    <message>
      <source>This model does not use transformers' attention interface, or has state other than keys and values, so no KV cache can be fitted to it: {0}.</source>
      <translation>Dieses Modell verwendet nicht die Attention-Schnittstelle von transformers oder hat anderen Zustand als Keys und Values, also lässt sich ihm kein KV-Cache anpassen: {0}.</translation>
    </message>
    <message>
      <source>This model has chunks and windows of one size, which no cache layout supports.</source>
      <translation>Dieses Modell hat Blöcke und Fenster gleicher Größe, was kein Cache-Layout unterstützt.</translation>
    </message>
    <message>
      <source>This model has its own attention code, which does not use transformers' attention interface, so no KV cache can be fitted to it.</source>
      <translation>Dieses Modell hat eigenen Attention-Code, der nicht die Attention-Schnittstelle von transformers verwendet, also lässt sich ihm kein KV-Cache anpassen.</translation>
    </message>
    <message>
      <source>This model has no end token, so a constrained reply could not end: name its eos_token_id in the checkpoint's generation_config.json and build it again.</source>
      <translation>Dieses Modell hat kein Ende-Token, also könnte eine eingeschränkte Antwort nicht enden: seine eos_token_id in der generation_config.json des Checkpoints nennen und neu bauen.</translation>
    </message>
    <message>
      <source>This model reads {0} from its cache, which is neither keys and values nor state of a convolution or a recurrence, so no cache can be fitted to it.</source>
      <translation>Dieses Modell liest {0} aus seinem Cache, was weder Keys und Values noch Zustand einer Faltung oder Rekurrenz ist, also lässt sich ihm kein Cache anpassen.</translation>
    </message>
    <message>
      <source>This model's attention adds a bias of positions, which</source>
      <translation>Die Attention dieses Modells addiert einen Positions-Bias, den</translation>
    </message>
    <message>
      <source>This model's attention has sinks, and {0} takes none: build with --cache static.</source>
      <translation>Die Attention dieses Modells hat Sinks, und {0} nimmt keine an: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>This model's decoder is not separate from its head, so it cannot expose hidden_states: leave expose out.</source>
      <translation>Der Decoder dieses Modells ist nicht von seinem Kopf getrennt, kann also hidden_states nicht ausgeben: expose weglassen.</translation>
    </message>
    <message>
      <source>This model's input gates are not capped at {0} or less (gate_soft_cap in config.json), so that its state may be too large for float32: it cannot be built.</source>
      <translation>Die Eingangstore dieses Modells sind nicht auf {0} oder weniger begrenzt (gate_soft_cap in config.json), sodass sein Zustand für float32 zu groß sein kann: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>This model's layers do not all keep keys and values, so no KV cache can be fitted to it.</source>
      <translation>Nicht alle Schichten dieses Modells behalten Keys und Values, also lässt sich ihm kein KV-Cache anpassen.</translation>
    </message>
    <message>
      <source>This model's mask is neither causal nor a sliding window, which no cache layout supports: it cannot be built.</source>
      <translation>Die Maske dieses Modells ist weder kausal noch ein gleitendes Fenster, was kein Cache-Layout unterstützt: es kann nicht gebaut werden.</translation>
    </message>
    <message>
      <source>This model's own code does not offer project_source for each layer's cross-attention, so its source cannot be projected once.</source>
      <translation>Der eigene Code dieses Modells bietet kein project_source für die Cross-Attention jeder Schicht, also lässt sich seine Quelle nicht einmal projizieren.</translation>
    </message>
    <message>
      <source>This model's own code does not pass a cache to its decoder, so no KV cache can be fitted to it.</source>
      <translation>Der eigene Code dieses Modells gibt keinen Cache an seinen Decoder, also lässt sich ihm kein KV-Cache anpassen.</translation>
    </message>
    <message>
      <source>This model's tokens attend to later tokens, so keys and values cannot be cached: it cannot be built as a model that generates.</source>
      <translation>Die Tokens dieses Modells sehen spätere Tokens, also können Keys und Values nicht im Cache bleiben: es kann nicht als Modell gebaut werden, das erzeugt.</translation>
    </message>
    <message>
      <source>This model's values have a bias before the first token, so it cannot be built.</source>
      <translation>Die Values dieses Modells haben einen Bias vor dem ersten Token, also kann es nicht gebaut werden.</translation>
    </message>
    <message>
      <source>This program takes no plugins: install Joinery for Python, `python3 -m pip install joinery {0}`.</source>
      <translation>Dieses Programm nimmt keine Erweiterungen an: Joinery für Python installieren, `python3 -m pip install joinery {0}`.</translation>
    </message>
    <message>
      <source>This server answers on this machine alone.</source>
      <translation>Dieser Server antwortet nur auf diesem Rechner.</translation>
    </message>
    <message>
      <source>This server does not know {0}: leave it out.</source>
      <translation>Dieser Server kennt {0} nicht: weglassen.</translation>
    </message>
    <message>
      <source>This server fetches nothing: send a picture as a data: URL in base64.</source>
      <translation>Dieser Server holt nichts: ein Bild als data:-URL in base64 senden.</translation>
    </message>
    <message>
      <source>This worker has given up the network: start another one to {0}.</source>
      <translation>Dieser Worker hat das Netzwerk aufgegeben: einen anderen starten, um {0}.</translation>
    </message>
    <message>
      <source>Tokens of prompts.</source>
      <translation>Tokens von Eingaben.</translation>
    </message>
    <message>
      <source>Tokens of replies.</source>
      <translation>Tokens von Antworten.</translation>
    </message>
    <message>
      <source>Transcribing again at other temperatures begins greedily, without beams and a chain: leave these options out.</source>
      <translation>Erneutes Transkribieren bei anderen Temperaturen beginnt greedy, ohne Beams und Kette: diese Optionen weglassen.</translation>
    </message>
    <message>
      <source>Tried {0}: {1} MiB, {2}{3}.</source>
      <translation>Versucht: {0}: {1} MiB, {2}{3}.</translation>
    </message>
    <message>
      <source>Two adapters are called {0}, by which a generation chooses: rename a folder.</source>
      <translation>Zwei Adapter heißen {0}, wonach eine Erzeugung wählt: einen Ordner umbenennen.</translation>
    </message>
    <message>
      <source>Two graphs are called {0} with different capitals: change one name.</source>
      <translation>Zwei Graphen heißen {0} und unterscheiden sich nur in der Groß- und Kleinschreibung: einen Namen ändern.</translation>
    </message>
    <message>
      <source>Two tensors of the graph would be called {0}, because the file's metadata.names gives {1} that name: remove that entry.</source>
      <translation>Zwei Tensoren des Graphen würden {0} heißen, weil metadata.names der Datei {1} diesen Namen gibt: diesen Eintrag entfernen.</translation>
    </message>
    <message>
      <source>Untrusted input is opened by a process that can reach the network: {0} cannot remove its access.</source>
      <translation>Nicht vertrauenswürdige Daten werden von einem Prozess geöffnet, der das Netzwerk erreichen kann: {0} kann ihm den Zugriff nicht nehmen.</translation>
    </message>
    <message>
      <source>Untrusted input is opened by a process that can reach the network: {0}.</source>
      <translation>Nicht vertrauenswürdige Daten werden von einem Prozess geöffnet, der das Netzwerk erreichen kann: {0}.</translation>
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
      <source>Weight of the amateur's logits that are subtracted.</source>
      <translation>Gewicht der Logits des Amateurmodells, die abgezogen werden.</translation>
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
      <source>Weights stored in 16 bits</source>
      <translation>Gewichte in 16 Bit gespeichert</translation>
    </message>
    <message>
      <source>Weights, activations and cache in 16 bits.</source>
      <translation>Gewichte, Aktivierungen und Cache in 16 Bit.</translation>
    </message>
    <message>
      <source>What the graphs make</source>
      <translation>Was die Graphen ergeben</translation>
    </message>
    <message>
      <source>Windows ML has no plugin of {0} for this machine; it has {1}.</source>
      <translation>Windows ML hat kein Plug-in von {0} für diesen Rechner; es hat {1}.</translation>
    </message>
    <message>
      <source>Windows ML has the plugin of {0}, and it is not on this machine yet.</source>
      <translation>Windows ML hat das Plug-in von {0}, und es ist noch nicht auf diesem Rechner.</translation>
    </message>
    <message>
      <source>Windows ML names no library of {0}: update Windows.</source>
      <translation>Windows ML nennt keine Bibliothek von {0}: Windows aktualisieren.</translation>
    </message>
    <message>
      <source>Windows cannot make {0} ready: {1}</source>
      <translation>Windows kann {0} nicht bereitstellen: {1}</translation>
    </message>
    <message>
      <source>With A's values as inputs, {0} is correct: it differs only in the run of the whole graph.</source>
      <translation>Mit den Werten von A als Eingängen ist {0} richtig: es weicht nur im Lauf des ganzen Graphen ab.</translation>
    </message>
    <message>
      <source>With a cache, this model's logits differ from its own by {0} of the largest, in the tokens {1} to {2} of {3}: it uses positions, masks or state in a way that Joinery does not support, so it cannot be built.</source>
      <translation>Mit einem Cache weichen die Logits dieses Modells um {0} der größten von seinen ab, bei den Tokens {1} bis {2} von {3}: es verwendet Positionen, Masken oder Zustand auf eine Art, die Joinery nicht unterstützt, kann also nicht gebaut werden.</translation>
    </message>
    <message>
      <source>Without effect, for {0} has no KV cache: {1}.</source>
      <translation>Ohne Wirkung, denn {0} hat keinen KV-Cache: {1}.</translation>
    </message>
    <message>
      <source>[1, kv_heads, slots, head_dim] or [1, slots, width]</source>
      <translation>[1, kv_heads, Slots, head_dim] oder [1, Slots, Breite]</translation>
    </message>
    <message>
      <source>[2, 1, kv_heads, slots, head_dim]</source>
      <translation>[2, 1, kv_heads, Slots, head_dim]</translation>
    </message>
    <message>
      <source>a Windows machine with onnxruntime-windowsml</source>
      <translation>einem Windows-Rechner mit onnxruntime-windowsml</translation>
    </message>
    <message>
      <source>a chain replaces {0}: add it to the chain as an op, or leave it out</source>
      <translation>eine Kette ersetzt {0}: es der Kette als Operation hinzufügen oder weglassen</translation>
    </message>
    <message>
      <source>a chunk of {0} does not fit a capacity of {1}</source>
      <translation>ein Block von {0} passt nicht in eine Kapazität von {1}</translation>
    </message>
    <message>
      <source>a chunk that is longer than half an FFT and than a hop</source>
      <translation>ein Block, der länger als eine halbe FFT und als ein Hop ist</translation>
    </message>
    <message>
      <source>a constant in front of Softmax holds −inf: run clamp_constant_values first</source>
      <translation>eine Konstante vor Softmax enthält −inf: zuerst clamp_constant_values ausführen</translation>
    </message>
    <message>
      <source>a decoder behind an encoder needs a start token, and the file names none</source>
      <translation>ein Decoder hinter einem Encoder braucht ein Start-Token, und die Datei nennt keines</translation>
    </message>
    <message>
      <source>a decoder of 0.6 billion parameters</source>
      <translation>ein Decoder von 0,6 Milliarden Parametern</translation>
    </message>
    <message>
      <source>a field of the kind {0}</source>
      <translation>ein Feld der Art {0}</translation>
    </message>
    <message>
      <source>a field that ends after its message</source>
      <translation>ein Feld, das nach seiner Nachricht endet</translation>
    </message>
    <message>
      <source>a file without an ending</source>
      <translation>eine Datei ohne Endung</translation>
    </message>
    <message>
      <source>a filter of system calls</source>
      <translation>ein Filter von Systemaufrufen</translation>
    </message>
    <message>
      <source>a finite number</source>
      <translation>eine endliche Zahl</translation>
    </message>
    <message>
      <source>a frame must hold an object</source>
      <translation>ein Frame muss ein Objekt enthalten</translation>
    </message>
    <message>
      <source>a grammar is always stateful: leave stateful out</source>
      <translation>eine Grammatik hat immer einen Zustand: stateful weglassen</translation>
    </message>
    <message>
      <source>a graph of {0} nodes</source>
      <translation>ein Graph von {0} Knoten</translation>
    </message>
    <message>
      <source>a graph's file lies in the folder, and its name is made of letters, digits and . _ - / alone</source>
      <translation>die Datei eines Graphen liegt im Ordner, und ihr Name besteht nur aus Buchstaben, Ziffern und . _ - /</translation>
    </message>
    <message>
      <source>a header of {0} bytes</source>
      <translation>ein Kopf von {0} Bytes</translation>
    </message>
    <message>
      <source>a list of rows</source>
      <translation>eine Liste von Zeilen</translation>
    </message>
    <message>
      <source>a list of {0}</source>
      <translation>eine Liste von {0}</translation>
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
      <source>a number in the place of a message</source>
      <translation>eine Zahl an der Stelle einer Nachricht</translation>
    </message>
    <message>
      <source>a number of more than 64 bits</source>
      <translation>eine Zahl von mehr als 64 Bit</translation>
    </message>
    <message>
      <source>a number that a model can compute with</source>
      <translation>eine Zahl, mit der ein Modell rechnen kann</translation>
    </message>
    <message>
      <source>a pipeline with a KV cache needs generation</source>
      <translation>eine Pipeline mit KV-Cache braucht generation</translation>
    </message>
    <message>
      <source>a plan has lists</source>
      <translation>ein Plan hat Listen</translation>
    </message>
    <message>
      <source>a position has several numbers, and the operator's tables have a row for one</source>
      <translation>eine Position hat mehrere Zahlen, und die Tabellen des Operators haben eine Zeile für eine</translation>
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
      <source>a reply can be cancelled instead</source>
      <translation>eine Antwort kann stattdessen abgebrochen werden</translation>
    </message>
    <message>
      <source>a reply has one constraint: give one of json_schema, regex, grammar and tool_calls</source>
      <translation>eine Antwort hat eine Form: eines von json_schema, regex, grammar und tool_calls angeben</translation>
    </message>
    <message>
      <source>a request has one reply</source>
      <translation>eine Anfrage hat eine Antwort</translation>
    </message>
    <message>
      <source>a run of the plan is missing</source>
      <translation>ein Lauf des Plans fehlt</translation>
    </message>
    <message>
      <source>a run takes {0} tokens, and the graphs have {1} columns</source>
      <translation>ein Lauf nimmt {0} Tokens, und die Graphen haben {1} Spalten</translation>
    </message>
    <message>
      <source>a session drafts, and pipeline.strategy is missing</source>
      <translation>eine Session macht Entwürfe, und pipeline.strategy fehlt</translation>
    </message>
    <message>
      <source>a shape behind the head fixes the number of rows: {0}</source>
      <translation>eine Form hinter dem Kopf legt die Zahl der Zeilen fest: {0}</translation>
    </message>
    <message>
      <source>a share above 0 and up to 1</source>
      <translation>ein Anteil über 0 und bis 1</translation>
    </message>
    <message>
      <source>a single text is not padded</source>
      <translation>ein einzelner Text wird nicht aufgefüllt</translation>
    </message>
    <message>
      <source>a table of {0} rows would take too much memory</source>
      <translation>eine Tabelle von {0} Zeilen bräuchte zu viel Speicher</translation>
    </message>
    <message>
      <source>a tensor's name</source>
      <translation>der Name eines Tensors</translation>
    </message>
    <message>
      <source>a whole number</source>
      <translation>eine ganze Zahl</translation>
    </message>
    <message>
      <source>a whole number from {0} to {1}</source>
      <translation>eine ganze Zahl von {0} bis {1}</translation>
    </message>
    <message>
      <source>a {0}'s weight is no matrix that integer products take</source>
      <translation>das Gewicht von {0} ist keine Matrix, die Ganzzahlprodukte nehmen</translation>
    </message>
    <message>
      <source>about {0} of memory ({1} free)</source>
      <translation>etwa {0} Arbeitsspeicher ({1} frei)</translation>
    </message>
    <message>
      <source>above {0} MB of weights passes are not compared one by one</source>
      <translation>über {0} MB an Gewichten werden Pässe nicht einzeln verglichen</translation>
    </message>
    <message>
      <source>accept rate</source>
      <translation>Annahmequote</translation>
    </message>
    <message>
      <source>accepts none of your keys and would ask for a password, which Joinery never does: run `ssh-copy-id {login}`, or load the key by `ssh-add`.</source>
      <translation>nimmt keinen der Schlüssel an und würde nach einem Passwort fragen, was Joinery nie tut: `ssh-copy-id {login}` ausführen oder den Schlüssel mit `ssh-add` laden.</translation>
    </message>
    <message>
      <source>accepts none of your keys: add your public key to ~/.ssh/authorized_keys there, or load another by `ssh-add`.</source>
      <translation>nimmt keinen der Schlüssel an: den öffentlichen Schlüssel dort in ~/.ssh/authorized_keys eintragen oder einen anderen mit `ssh-add` laden.</translation>
    </message>
    <message>
      <source>adapters=runtime gives the graphs inputs of any rank, which are tried on the CPU provider alone, and not on the target {0}: {1}.</source>
      <translation>adapters=runtime gibt den Graphen Eingänge beliebigen Rangs, die nur auf dem CPU-Provider erprobt sind und nicht auf dem Ziel {0}: {1}.</translation>
    </message>
    <message>
      <source>adapters=runtime goes with {0} and fp16, and not with {1}: {2}.</source>
      <translation>adapters=runtime passt zu {0} und fp16 und nicht zu {1}: {2}.</translation>
    </message>
    <message>
      <source>adapters=runtime is for a decoder that reads text alone, and not for {0} as {1}: {2}.</source>
      <translation>adapters=runtime ist für einen Decoder, der nur Text liest, und nicht für {0} als {1}: {2}.</translation>
    </message>
    <message>
      <source>adds a bias by distance to its attention</source>
      <translation>addiert in seiner Attention einen Bias nach Abstand</translation>
    </message>
    <message>
      <source>adds a bias that is computed</source>
      <translation>addiert einen Bias, der berechnet wird</translation>
    </message>
    <message>
      <source>adds a bias to {0}, which has none in this base.</source>
      <translation>fügt {0} einen Bias hinzu, das in dieser Basis keinen hat.</translation>
    </message>
    <message>
      <source>against the graphs before quantizing: top-1 {0}, KL {1} nats, perplexity {2} → {3} ({4} positions of {5})</source>
      <translation>gegen die Graphen vor dem Quantisieren: Top-1 {0}, KL {1} nats, Perplexität {2} → {3} ({4} Positionen von {5})</translation>
    </message>
    <message>
      <source>against the stage before</source>
      <translation>gegen die Stufe davor</translation>
    </message>
    <message>
      <source>all passes together, with the model's own logits</source>
      <translation>alle Pässe zusammen, mit den eigenen Logits des Modells</translation>
    </message>
    <message>
      <source>all passes together: {0}</source>
      <translation>alle Pässe zusammen: {0}</translation>
    </message>
    <message>
      <source>an NVIDIA GPU and onnxruntime-gpu</source>
      <translation>einer NVIDIA-GPU und onnxruntime-gpu</translation>
    </message>
    <message>
      <source>an adapter changes it</source>
      <translation>ein Adapter ändert es</translation>
    </message>
    <message>
      <source>an adapter changes {0}, which is stored turned</source>
      <translation>ein Adapter ändert {0}, das gedreht gespeichert ist</translation>
    </message>
    <message>
      <source>an entry of '{0}'</source>
      <translation>ein Eintrag von „{0}“</translation>
    </message>
    <message>
      <source>an input</source>
      <translation>ein Eingang</translation>
    </message>
    <message>
      <source>an input of a node in front of Softmax is missing</source>
      <translation>ein Eingang eines Knotens vor Softmax fehlt</translation>
    </message>
    <message>
      <source>an object</source>
      <translation>ein Objekt</translation>
    </message>
    <message>
      <source>an unpaired surrogate</source>
      <translation>ein einzelnes Surrogat</translation>
    </message>
    <message>
      <source>and not {0}</source>
      <translation>und nicht {0}</translation>
    </message>
    <message>
      <source>and {0} both change {1}, and one is of DoRA, whose changes do not add up: build with one of them.</source>
      <translation>und {0} ändern beide {1}, und einer ist von DoRA, dessen Änderungen sich nicht addieren: mit einem davon bauen.</translation>
    </message>
    <message>
      <source>another number of inputs than 'g_idx'</source>
      <translation>eine andere Zahl von Eingängen als „g_idx“</translation>
    </message>
    <message>
      <source>another of the {0} is already called {1}</source>
      <translation>ein anderer der {0} heißt schon {1}</translation>
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
      <source>answers, but no ssh server listens at {address}: start one there, or correct the port.</source>
      <translation>antwortet, aber an {address} lauscht kein ssh-Server: dort einen starten oder den Port berichtigen.</translation>
    </message>
    <message>
      <source>any causal LM with a cache: llama, qwen2, mistral, gemma3, phi3, smollm3, gpt2 …</source>
      <translation>jedes kausale LM mit Cache: llama, qwen2, mistral, gemma3, phi3, smollm3, gpt2 …</translation>
    </message>
    <message>
      <source>applied: {0} to {1} nodes</source>
      <translation>angewendet: {0} auf {1} Knoten</translation>
    </message>
    <message>
      <source>architecture {} tells no</source>
      <translation>architecture {} nennt keine</translation>
    </message>
    <message>
      <source>architectures {} tell no one</source>
      <translation>architectures {} nennt keine Aufgabe</translation>
    </message>
    <message>
      <source>as other tensors of this form</source>
      <translation>wie andere Tensoren dieser Form</translation>
    </message>
    <message>
      <source>as requested</source>
      <translation>wie gewünscht</translation>
    </message>
    <message>
      <source>beam search does not sample: leave sample out of the chain, or set num_beams to 1</source>
      <translation>die Beam-Suche zieht keine Tokens: sample aus der Kette nehmen oder num_beams auf 1 setzen</translation>
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
      <source>belongs to a variant of LoRA that is not merged</source>
      <translation>gehört zu einer Variante von LoRA, die nicht verschmolzen wird</translation>
    </message>
    <message>
      <source>bert, roberta, distilbert, deberta and variants</source>
      <translation>bert, roberta, distilbert, deberta und Varianten</translation>
    </message>
    <message>
      <source>beside plain</source>
      <translation>neben einfachem</translation>
    </message>
    <message>
      <source>bf16 does not run on the CPU provider, which lacks products in bfloat16, so the bundle cannot be tried here: fp16 has the same size and runs everywhere.</source>
      <translation>bf16 läuft nicht auf dem CPU-Provider, dem Produkte in bfloat16 fehlen, also kann das Bundle hier nicht erprobt werden: fp16 ist ebenso groß und läuft überall.</translation>
    </message>
    <message>
      <source>blocks of {0}{1}</source>
      <translation>Blöcke von {0}{1}</translation>
    </message>
    <message>
      <source>by a method without a name</source>
      <translation>mit einer Methode ohne Namen</translation>
    </message>
    <message>
      <source>bytes in the place of a number</source>
      <translation>Bytes an der Stelle einer Zahl</translation>
    </message>
    <message>
      <source>calibration fed it nothing: rounded by search</source>
      <translation>die Kalibrierung gab ihm nichts: durch Suche gerundet</translation>
    </message>
    <message>
      <source>calibration never ran this component</source>
      <translation>die Kalibrierung hat diese Komponente nie ausgeführt</translation>
    </message>
    <message>
      <source>cannot be reached at {address}: check that it runs, the network, and the address.</source>
      <translation>ist an {address} nicht erreichbar: prüfen, ob der Rechner läuft, das Netzwerk und die Adresse.</translation>
    </message>
    <message>
      <source>cannot be used with a model that has an encoder: leave it out</source>
      <translation>kann nicht mit einem Modell verwendet werden, das einen Encoder hat: weglassen</translation>
    </message>
    <message>
      <source>cannot import Joinery ({0}): install joinery[dask] there, and start it with `--preload joinery`</source>
      <translation>Joinery lässt sich nicht importieren ({0}): dort joinery[dask] installieren und mit `--preload joinery` starten</translation>
    </message>
    <message>
      <source>changes scores of beams alone</source>
      <translation>ändert nur die Bewertungen von Beams</translation>
    </message>
    <message>
      <source>changes the grouped convolution {0}, which is not merged.</source>
      <translation>ändert die gruppierte Faltung {0}, die nicht verschmolzen wird.</translation>
    </message>
    <message>
      <source>changes {0} in a way that is not merged.</source>
      <translation>ändert {0} auf eine Art, die nicht verschmolzen wird.</translation>
    </message>
    <message>
      <source>changes {0} numbers of {1}, which has {2} in this base: give the base that it was trained for.</source>
      <translation>ändert {0} Zahlen von {1}, das in dieser Basis {2} hat: die Basis angeben, für die er trainiert wurde.</translation>
    </message>
    <message>
      <source>changes {0}, a tensor that {1} weights of this base share: merge it with peft (merge_and_unload, then save_pretrained), and open the result.</source>
      <translation>ändert {0}, einen Tensor, den {1} Gewichte dieser Basis teilen: mit peft verschmelzen (merge_and_unload, dann save_pretrained) und das Ergebnis öffnen.</translation>
    </message>
    <message>
      <source>changes {0}, which is no linear layer of this base that its graph has as a product of its own: merge it, without adapters=runtime, or give the base that it was trained for.</source>
      <translation>ändert {0}, was keine lineare Schicht dieser Basis ist, die ihr Graph als eigenes Produkt hat: ihn verschmelzen, ohne adapters=runtime, oder die Basis angeben, für die er trainiert wurde.</translation>
    </message>
    <message>
      <source>changes {0}, which is not stored as a weight of its own in this base.</source>
      <translation>ändert {0}, das in dieser Basis nicht als eigenes Gewicht gespeichert ist.</translation>
    </message>
    <message>
      <source>changes {0}, which {1} does not have as a linear layer, an embedding or a convolution: give the base that it was trained for.</source>
      <translation>ändert {0}, was {1} nicht als lineare Schicht, Embedding oder Faltung hat: die Basis angeben, für die er trainiert wurde.</translation>
    </message>
    <message>
      <source>changes {0}, whose stored parts have other sizes.</source>
      <translation>ändert {0}, dessen gespeicherte Teile andere Größen haben.</translation>
    </message>
    <message>
      <source>choose one of {0}</source>
      <translation>eine von {0} wählen</translation>
    </message>
    <message>
      <source>chosen with each request</source>
      <translation>mit jeder Anfrage gewählt</translation>
    </message>
    <message>
      <source>chunk {0} of {1}</source>
      <translation>Block {0} von {1}</translation>
    </message>
    <message>
      <source>closes the connection at {address} before ssh has begun: check the port, and that its ssh server lets you in.</source>
      <translation>schließt die Verbindung an {address}, bevor ssh begonnen hat: den Port prüfen, und ob sein ssh-Server den Zugang erlaubt.</translation>
    </message>
    <message>
      <source>compares against {0} ('eval.against'), which is none of its recipes</source>
      <translation>vergleicht mit {0} („eval.against“), das keines seiner Rezepte ist</translation>
    </message>
    <message>
      <source>comparing the graphs with the exported ones</source>
      <translation>Graphen werden mit den exportierten verglichen</translation>
    </message>
    <message>
      <source>comparing the graphs with the optimized ones</source>
      <translation>Graphen werden mit den optimierten verglichen</translation>
    </message>
    <message>
      <source>compensated rounding is for weights that a calibration has seen the inputs of</source>
      <translation>kompensierte Rundung ist für Gewichte, deren Eingänge eine Kalibrierung gesehen hat</translation>
    </message>
    <message>
      <source>completed by an earlier build</source>
      <translation>von einem früheren Bau fertiggestellt</translation>
    </message>
    <message>
      <source>compressed-tensors, {0}-bit integers</source>
      <translation>compressed-tensors, {0}-Bit-Ganzzahlen</translation>
    </message>
    <message>
      <source>config.json describes a model of several parts ({0}), and this version of Joinery builds models of one part alone.</source>
      <translation>config.json beschreibt ein Modell aus mehreren Teilen ({0}), und diese Version von Joinery baut nur Modelle aus einem Teil.</translation>
    </message>
    <message>
      <source>config.json has an id2label that does not name the labels from 0 on: correct the file.</source>
      <translation>config.json hat ein id2label, das die Labels nicht ab 0 nennt: die Datei berichtigen.</translation>
    </message>
    <message>
      <source>config.json has median_filter_width = {0}, and the times of words are smoothed over {1} columns: leave expose out.</source>
      <translation>config.json hat median_filter_width = {0}, und die Zeiten von Wörtern werden über {1} Spalten geglättet: expose weglassen.</translation>
    </message>
    <message>
      <source>config.json has none of {0}: the model cannot be built around a KV cache, or the file is incomplete.</source>
      <translation>config.json hat nichts von {0}: das Modell kann nicht um einen KV-Cache gebaut werden, oder die Datei ist unvollständig.</translation>
    </message>
    <message>
      <source>config.json names a window ({0} = {1}) that was not detected in any layer, and comparing past it would take too much memory: build with --capacity {2}, which never reaches it.</source>
      <translation>config.json nennt ein Fenster ({0} = {1}), das in keiner Schicht erkannt wurde, und darüber hinaus zu vergleichen bräuchte zu viel Speicher: mit --capacity {2} bauen, das es nie erreicht.</translation>
    </message>
    <message>
      <source>config.json names no architecture</source>
      <translation>config.json nennt keine Architektur</translation>
    </message>
    <message>
      <source>config.json says more positions than {0}, and the weights have no position table of that size: correct the file.</source>
      <translation>config.json nennt mehr Positionen als {0}, und die Gewichte haben keine Positionstabelle dieser Größe: die Datei berichtigen.</translation>
    </message>
    <message>
      <source>config.json says {0} = {1} of its rotary positions, which must be above 0 and below {2}: get config.json again.</source>
      <translation>config.json sagt {0} = {1} für seine Drehpositionen, was über 0 und unter {2} liegen muss: config.json erneut holen.</translation>
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
      <source>copying {0}: {1} of {2} MiB</source>
      <translation>{0} wird kopiert: {1} von {2} MiB</translation>
    </message>
    <message>
      <source>crops of a picture are not made</source>
      <translation>Ausschnitte eines Bildes werden nicht gemacht</translation>
    </message>
    <message>
      <source>cross_cache has the source {0}, which is not a session</source>
      <translation>cross_cache hat die Quelle {0}, die keine Session ist</translation>
    </message>
    <message>
      <source>custom_ops_library is code, and Joinery runs none that a bundle brings</source>
      <translation>custom_ops_library ist Code, und Joinery führt keinen aus, den ein Bundle mitbringt</translation>
    </message>
    <message>
      <source>dataflow names {0}, whose session does not exist</source>
      <translation>dataflow nennt {0}, dessen Session es nicht gibt</translation>
    </message>
    <message>
      <source>decoded token</source>
      <translation>dekodiertes Token</translation>
    </message>
    <message>
      <source>decoders that make vectors of texts, or label or rank them</source>
      <translation>Decoder, die Vektoren von Texten machen oder sie benennen oder ordnen</translation>
    </message>
    <message>
      <source>default or full</source>
      <translation>default oder full</translation>
    </message>
    <message>
      <source>default_prompt {0} is not one of the prompts</source>
      <translation>default_prompt {0} ist keiner der Prompts</translation>
    </message>
    <message>
      <source>did not answer in {0} s</source>
      <translation>antwortete nicht in {0} s</translation>
    </message>
    <message>
      <source>does not exist</source>
      <translation>besteht nicht</translation>
    </message>
    <message>
      <source>does not fit,</source>
      <translation>passt nicht,</translation>
    </message>
    <message>
      <source>draft_model needs a model: state a session, or metadata.draft</source>
      <translation>draft_model braucht ein Modell: eine Session oder metadata.draft angeben</translation>
    </message>
    <message>
      <source>drafts are requested with each reply, and leave greedy tokens as they are</source>
      <translation>Entwürfe werden mit jeder Antwort verlangt und ändern greedy gewählte Tokens nicht</translation>
    </message>
    <message>
      <source>each prompt needs sound or pictures, and the text to measure with has none</source>
      <translation>jede Eingabe braucht Ton oder Bilder, und der Messtext hat keine</translation>
    </message>
    <message>
      <source>each request names its own limit (--max-new-tokens)</source>
      <translation>jede Anfrage nennt ihre eigene Grenze (--max-new-tokens)</translation>
    </message>
    <message>
      <source>early_exit does not support {0}, which is calibrated with the whole model: choose another precision for the draft, such as --set quantize.components.draft=int8.</source>
      <translation>early_exit unterstützt {0} nicht, das mit dem ganzen Modell kalibriert wird: für den Entwurf eine andere Präzision wählen, etwa --set quantize.components.draft=int8.</translation>
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
      <source>early_exit drafts with layers that have no adapter: leave it out, or </source>
      <translation>early_exit entwirft mit Schichten ohne Adapter: weglassen, oder </translation>
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
      <source>ended without a status</source>
      <translation>endete ohne Status</translation>
    </message>
    <message>
      <source>ends a reply</source>
      <translation>beendet eine Antwort</translation>
    </message>
    <message>
      <source>ends a reply, unless the request names stop texts of its own; the text ends before it</source>
      <translation>beendet eine Antwort, wenn die Anfrage keine eigenen Stopptexte nennt; der Text endet davor</translation>
    </message>
    <message>
      <source>engine (one conversation at a time)</source>
      <translation>Engine (ein Gespräch auf einmal)</translation>
    </message>
    <message>
      <source>evaluated against</source>
      <translation>bewertet gegen</translation>
    </message>
    <message>
      <source>every second of the {0}</source>
      <translation>jede zweite der {0}</translation>
    </message>
    <message>
      <source>evicts no token</source>
      <translation>verdrängt kein Token</translation>
    </message>
    <message>
      <source>evidence.json of the bundle cannot be read: build the bundle anew.</source>
      <translation>evidence.json des Bundles kann nicht gelesen werden: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>exact match</source>
      <translation>genaue Übereinstimmung</translation>
    </message>
    <message>
      <source>exclude and nodes both name {0}: name it in one of them</source>
      <translation>exclude und nodes nennen beide {0}: es in einem von beiden nennen</translation>
    </message>
    <message>
      <source>experts are rounded to 8 bits, for QMoE takes no such blocks</source>
      <translation>Experten werden auf 8 Bit gerundet, denn QMoE nimmt solche Blöcke nicht</translation>
    </message>
    <message>
      <source>experts of these sizes are no whole blocks</source>
      <translation>Experten dieser Größen sind keine ganzen Blöcke</translation>
    </message>
    <message>
      <source>experts of this form have no quantized operator</source>
      <translation>Experten dieser Form haben keinen quantisierten Operator</translation>
    </message>
    <message>
      <source>experts of {0} inputs are no whole blocks of {1}</source>
      <translation>Experten mit {0} Eingängen sind keine ganzen Blöcke von {1}</translation>
    </message>
    <message>
      <source>extra_heads are a session of this file: name it</source>
      <translation>extra_heads sind eine Session dieser Datei: sie nennen</translation>
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
      <source>fetching the tasks</source>
      <translation>die Aufgaben werden geholt</translation>
    </message>
    <message>
      <source>file of that name</source>
      <translation>Datei dieses Namens</translation>
    </message>
    <message>
      <source>flow runs {0}, which is not a session</source>
      <translation>flow führt {0} aus, was keine Session ist</translation>
    </message>
    <message>
      <source>for a thread has another</source>
      <translation>für einen Thread mit einem anderen</translation>
    </message>
    <message>
      <source>form of tool calls</source>
      <translation>Form von Werkzeugaufrufen</translation>
    </message>
    <message>
      <source>fp32 leaves every weight unchanged</source>
      <translation>fp32 lässt jedes Gewicht unverändert</translation>
    </message>
    <message>
      <source>from 0 up to 1: a small constant that avoids a division by zero</source>
      <translation>von 0 bis 1: eine kleine Konstante, die eine Division durch null verhindert</translation>
    </message>
    <message>
      <source>gave no list of tensors</source>
      <translation>gab keine Liste von Tensoren</translation>
    </message>
    <message>
      <source>genai binds no factors of adapters: build the bundle with them merged</source>
      <translation>genai bindet keine Faktoren von Adaptern: das Bundle mit verschmolzenen bauen</translation>
    </message>
    <message>
      <source>genai computes features of 16,000 Hz, 100 frames a second and padding by zeros alone</source>
      <translation>genai berechnet nur Merkmale bei 16.000 Hz, 100 Frames je Sekunde und Auffüllung mit Nullen</translation>
    </message>
    <message>
      <source>genai connects graphs by equal tensor names, and would connect these differently</source>
      <translation>genai verbindet Graphen durch gleiche Tensornamen und würde diese anders verbinden</translation>
    </message>
    <message>
      <source>genai does not support a cache written in place by index: build with cache=static</source>
      <translation>genai unterstützt keinen Cache, der an seiner Stelle nach Index geschrieben wird: mit cache=static bauen</translation>
    </message>
    <message>
      <source>genai does not support a sliding cache: build with cache=static</source>
      <translation>genai unterstützt keinen gleitenden Cache: mit cache=static bauen</translation>
    </message>
    <message>
      <source>genai finds pictures by the token before them, and the file names no vision_start_token_id</source>
      <translation>genai findet Bilder am Token davor, und die Datei nennt keine vision_start_token_id</translation>
    </message>
    <message>
      <source>genai gives a mask of all tokens, and this model's layers attend within chunks: no node can add them</source>
      <translation>genai gibt eine Maske aller Tokens, und die Schichten dieses Modells sehen innerhalb von Blöcken: kein Knoten kann sie ergänzen</translation>
    </message>
    <message>
      <source>genai gives each picture of its type gemma3 {0} tokens, and this model has {1}</source>
      <translation>genai gibt jedem Bild seines Typs gemma3 {0} Tokens, und dieses Modell hat {1}</translation>
    </message>
    <message>
      <source>genai gives {0} frames of sound, and the encoder reads {1}</source>
      <translation>genai gibt {0} Frames Ton, und der Encoder liest {1}</translation>
    </message>
    <message>
      <source>genai has no filter {0} for the scaling of pictures</source>
      <translation>genai hat keinen Filter {0} für das Skalieren von Bildern</translation>
    </message>
    <message>
      <source>genai has no {0}, and {1} changes tokens</source>
      <translation>genai hat kein {0}, und {1} ändert Tokens</translation>
    </message>
    <message>
      <source>genai has one convolution and one recurrence per layer, and this bundle has {0}</source>
      <translation>genai hat je Schicht eine Faltung und eine Rekurrenz, und dieses Bundle hat {0}</translation>
    </message>
    <message>
      <source>genai has state or keys and values in a layer, and layer {0} has both</source>
      <translation>genai hat in einer Schicht Zustand oder Keys und Values, und Schicht {0} hat beides</translation>
    </message>
    <message>
      <source>genai needs keys and values in some layer, and this bundle has state of fixed size alone</source>
      <translation>genai braucht Keys und Values in einer Schicht, und dieses Bundle hat nur Zustand fester Größe</translation>
    </message>
    <message>
      <source>genai runs no session after the last token</source>
      <translation>genai führt nach dem letzten Token keine Session aus</translation>
    </message>
    <message>
      <source>genai runs {0}, and this bundle has {1}</source>
      <translation>genai führt {0} aus, und dieses Bundle hat {1}</translation>
    </message>
    <message>
      <source>genai scales pictures otherwise than mistral3 does, to other sizes and numbers of tokens</source>
      <translation>genai skaliert Bilder anders als mistral3, auf andere Größen und Zahlen von Tokens</translation>
    </message>
    <message>
      <source>generation_config.json names alignment_heads that a model of {0} layers with {1} heads does not have: correct the file.</source>
      <translation>generation_config.json nennt alignment_heads, die ein Modell von {0} Schichten mit {1} Köpfen nicht hat: die Datei berichtigen.</translation>
    </message>
    <message>
      <source>get it again</source>
      <translation>ihn erneut holen</translation>
    </message>
    <message>
      <source>get the checkpoint from a source that you trust, or one with safetensors weights</source>
      <translation>den Checkpoint von einer vertrauenswürdigen Quelle holen oder einen mit Gewichten in safetensors</translation>
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
      <source>giving B the values of A</source>
      <translation>B bekommt die Werte von A</translation>
    </message>
    <message>
      <source>graphs of fixed shapes are for providers that may lack GroupQueryAttention</source>
      <translation>Graphen fester Formen sind für Provider, denen GroupQueryAttention fehlen kann</translation>
    </message>
    <message>
      <source>has Joinery {0}, and this is {1}: install the same on all machines</source>
      <translation>hat Joinery {0}, und dies ist {1}: auf allen Rechnern dasselbe installieren</translation>
    </message>
    <message>
      <source>has a Joinery that lacks the package {0}: run `pip install joinery` in its environment there.</source>
      <translation>hat ein Joinery, dem das Paket {0} fehlt: dort in seiner Umgebung `pip install joinery` ausführen.</translation>
    </message>
    <message>
      <source>has a Python that is too old: Joinery needs Python 3.11 or newer there.</source>
      <translation>hat ein zu altes Python: Joinery braucht dort Python 3.11 oder neuer.</translation>
    </message>
    <message>
      <source>has a Python without Joinery{place}: install it there, or name its folder by `joinery remote add {name} {address} --joinery PATH_THERE`.</source>
      <translation>hat ein Python ohne Joinery{place}: es dort installieren oder seinen Ordner nennen, mit `joinery remote add {name} {address} --joinery PATH_THERE`.</translation>
    </message>
    <message>
      <source>has a full disk: make room there.</source>
      <translation>hat einen vollen Datenträger: dort Platz schaffen.</translation>
    </message>
    <message>
      <source>has a host key that is not known here: run `ssh {login}` once and compare the fingerprint that it shows.</source>
      <translation>hat einen Host-Schlüssel, der hier nicht bekannt ist: einmal `ssh {login}` ausführen und den angezeigten Fingerabdruck vergleichen.</translation>
    </message>
    <message>
      <source>has a host name that is not known: check the address {address}.</source>
      <translation>hat einen Hostnamen, der nicht bekannt ist: die Adresse {address} prüfen.</translation>
    </message>
    <message>
      <source>has a norm whose weight is computed</source>
      <translation>hat eine Norm, deren Gewicht berechnet wird</translation>
    </message>
    <message>
      <source>has a rank of {0} at {1}, and its settings say {2}: get it again.</source>
      <translation>hat bei {1} einen Rang von {0}, und seine Einstellungen sagen {2}: ihn erneut holen.</translation>
    </message>
    <message>
      <source>has a state that cannot be rewound: choose one with a KV cache alone</source>
      <translation>hat einen Zustand, der sich nicht zurücksetzen lässt: eines nur mit KV-Cache wählen</translation>
    </message>
    <message>
      <source>has a table that is computed</source>
      <translation>hat eine Tabelle, die berechnet wird</translation>
    </message>
    <message>
      <source>has a tokenizer with other tokens than the model's: choose one of the same family</source>
      <translation>hat einen Tokenizer mit anderen Tokens als das Modell: eines derselben Familie wählen</translation>
    </message>
    <message>
      <source>has a weight that is computed</source>
      <translation>hat ein Gewicht, das berechnet wird</translation>
    </message>
    <message>
      <source>has an entry without a name in {0}</source>
      <translation>hat in {0} einen Eintrag ohne Namen</translation>
    </message>
    <message>
      <source>has an impossible value in its</source>
      <translation>hat einen unmöglichen Wert in</translation>
    </message>
    <message>
      <source>has an older Joinery, which knows no remote machines: install the version of this machine there.</source>
      <translation>hat ein älteres Joinery, das keine entfernten Rechner kennt: dort die Version dieses Rechners installieren.</translation>
    </message>
    <message>
      <source>has another host key than before, so another machine may answer in its place: if it was set up anew, run `ssh-keygen -R {host}` and then `ssh {login}` once.</source>
      <translation>hat einen anderen Host-Schlüssel als zuvor, also antwortet vielleicht ein anderer Rechner an seiner Stelle: wurde er neu aufgesetzt, `ssh-keygen -R {host}` und dann einmal `ssh {login}` ausführen.</translation>
    </message>
    <message>
      <source>has minimums of their own</source>
      <translation>hat eigene Minima</translation>
    </message>
    <message>
      <source>has no Joinery{place}: install it there, or name its folder by `joinery remote add {name} {address} --joinery PATH_THERE`.</source>
      <translation>hat kein Joinery{place}: es dort installieren oder seinen Ordner nennen, mit `joinery remote add {name} {address} --joinery PATH_THERE`.</translation>
    </message>
    <message>
      <source>has no Python: install Python 3.11 or newer there.</source>
      <translation>hat kein Python: dort Python 3.11 oder neuer installieren.</translation>
    </message>
    <message>
      <source>has nothing to do: its {0} is empty</source>
      <translation>hat nichts zu tun: {0} ist leer</translation>
    </message>
    <message>
      <source>has the key '{0}' twice, which leaves open what it means</source>
      <translation>hat den Schlüssel „{0}“ zweimal, was offenlässt, was er bedeutet</translation>
    </message>
    <message>
      <source>has the pooling {0}</source>
      <translation>hat das Pooling {0}</translation>
    </message>
    <message>
      <source>has the shape {0}, which does not fit {1} of its lora_A</source>
      <translation>hat die Form {0}, die nicht zu {1} seines lora_A passt</translation>
    </message>
    <message>
      <source>has {0} as its {1}: give {2} or more</source>
      <translation>hat {0} als {1}: {2} oder mehr angeben</translation>
    </message>
    <message>
      <source>has {0} numbers for {1} outputs</source>
      <translation>hat {0} Zahlen für {1} Ausgänge</translation>
    </message>
    <message>
      <source>has {0} rows in {1}, and the config {2}</source>
      <translation>hat {0} Zeilen in {1}, und die Konfiguration {2}</translation>
    </message>
    <message>
      <source>has {0} twice in {1}{2}</source>
      <translation>hat {0} zweimal in {1}{2}</translation>
    </message>
    <message>
      <source>heads draft from hidden states, and the step gives no {0}: build with expose=hidden_states</source>
      <translation>Köpfe entwerfen aus verborgenen Zuständen, und der Schritt gibt kein {0}: mit expose=hidden_states bauen</translation>
    </message>
    <message>
      <source>heads of a multiple of {0}, and this model's have {1}</source>
      <translation>Köpfe eines Vielfachen von {0}, und dieses Modell hat {1}</translation>
    </message>
    <message>
      <source>heads of which a multiple of {0} is rotated, and this model rotates {1}</source>
      <translation>Köpfe, von denen ein Vielfaches von {0} gedreht wird, und dieses Modell dreht {1}</translation>
    </message>
    <message>
      <source>heads that draft from hidden states draft trees, whose rows the host must write</source>
      <translation>Köpfe, die aus verborgenen Zuständen entwerfen, entwerfen Bäume, deren Zeilen der Host schreiben muss</translation>
    </message>
    <message>
      <source>heights and widths that are multiples of {0}</source>
      <translation>Höhen und Breiten, die Vielfache von {0} sind</translation>
    </message>
    <message>
      <source>held by {0}</source>
      <translation>belegt durch {0}</translation>
    </message>
    <message>
      <source>held-back questions of {0}{1}, answered word for word</source>
      <translation>zurückgehaltene Fragen von {0}{1}, Wort für Wort beantwortet</translation>
    </message>
    <message>
      <source>holds half a character</source>
      <translation>enthält ein halbes Zeichen</translation>
    </message>
    <message>
      <source>holds minimums beside its integers, which a GGUF file was built with</source>
      <translation>hält Minima neben seinen Ganzzahlen, mit denen eine GGUF-Datei gebaut wurde</translation>
    </message>
    <message>
      <source>holds {0} of the shape {1}, and this base makes it {2}: give the base that it was trained for, with its vocabulary and number of labels.</source>
      <translation>enthält {0} der Form {1}, und diese Basis macht daraus {2}: die Basis angeben, für die er trainiert wurde, mit ihrem Vokabular und ihrer Zahl von Labels.</translation>
    </message>
    <message>
      <source>holds {0}, which {1} does not have: give the base and the task that it was trained for.</source>
      <translation>enthält {0}, das {1} nicht hat: die Basis und die Aufgabe angeben, für die er trainiert wurde.</translation>
    </message>
    <message>
      <source>how many positions its tables would need is not known</source>
      <translation>wie viele Positionen seine Tabellen bräuchten, ist nicht bekannt</translation>
    </message>
    <message>
      <source>in big-endian order</source>
      <translation>in Big-Endian-Reihenfolge</translation>
    </message>
    <message>
      <source>instructions unknown</source>
      <translation>Befehlssatz unbekannt</translation>
    </message>
    <message>
      <source>int8 or int8-dynamic</source>
      <translation>int8 oder int8-dynamic</translation>
    </message>
    <message>
      <source>is a SentencePiece model without pieces</source>
      <translation>ist ein SentencePiece-Modell ohne Teile</translation>
    </message>
    <message>
      <source>is called</source>
      <translation>heißt</translation>
    </message>
    <message>
      <source>is damaged</source>
      <translation>ist beschädigt</translation>
    </message>
    <message>
      <source>is not JSON</source>
      <translation>ist kein JSON</translation>
    </message>
    <message>
      <source>is not a SentencePiece model</source>
      <translation>ist kein SentencePiece-Modell</translation>
    </message>
    <message>
      <source>is not known beside its others</source>
      <translation>ist neben den anderen nicht bekannt</translation>
    </message>
    <message>
      <source>is not named as peft names the weights of a model</source>
      <translation>ist nicht so benannt, wie peft die Gewichte eines Modells benennt</translation>
    </message>
    <message>
      <source>is stored in {0}, and one of {1} is read</source>
      <translation>ist in {0} gespeichert, und gelesen wird {1}</translation>
    </message>
    <message>
      <source>it adds a bias to {0}</source>
      <translation>er fügt {0} einen Bias hinzu</translation>
    </message>
    <message>
      <source>it announces {0} and ends before, so it is cut short</source>
      <translation>es kündigt {0} an und endet davor, ist also abgeschnitten</translation>
    </message>
    <message>
      <source>it attends over no shared buffer that GroupQueryAttention could write</source>
      <translation>seine Attention geht über keinen gemeinsamen Puffer, den GroupQueryAttention schreiben könnte</translation>
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
      <source>it caps its scores, masks by itself, or gives them out</source>
      <translation>es begrenzt seine Scores, maskiert selbst oder gibt sie aus</translation>
    </message>
    <message>
      <source>it changed while it was read</source>
      <translation>es änderte sich beim Lesen</translation>
    </message>
    <message>
      <source>it changes parameters of experts ({0})</source>
      <translation>er ändert Parameter von Experten ({0})</translation>
    </message>
    <message>
      <source>it changes the convolution {0}</source>
      <translation>er ändert die Faltung {0}</translation>
    </message>
    <message>
      <source>it changes the embedding {0}</source>
      <translation>er ändert das Embedding {0}</translation>
    </message>
    <message>
      <source>it computes in float32 and float16 only</source>
      <translation>es rechnet nur in float32 und float16</translation>
    </message>
    <message>
      <source>it computes in half precision already</source>
      <translation>es rechnet schon in halber Genauigkeit</translation>
    </message>
    <message>
      <source>it declares {0} without {1}</source>
      <translation>er erklärt {0} ohne {1}</translation>
    </message>
    <message>
      <source>it does not name its architecture (general.architecture)</source>
      <translation>es nennt seine Architektur nicht (general.architecture)</translation>
    </message>
    <message>
      <source>it does not run its {0} layers one after the other</source>
      <translation>es führt seine {0} Schichten nicht nacheinander aus</translation>
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
      <source>it follows from chunk_length and sampling_rate</source>
      <translation>es folgt aus chunk_length und sampling_rate</translation>
    </message>
    <message>
      <source>it follows from chunk_length, sampling_rate and hop_length</source>
      <translation>es folgt aus chunk_length, sampling_rate und hop_length</translation>
    </message>
    <message>
      <source>it gives Softmax's values where they are NaN, not where they are numbers</source>
      <translation>es ergibt die Werte von Softmax dort, wo sie NaN sind, nicht dort, wo sie Zahlen sind</translation>
    </message>
    <message>
      <source>it has 4 or 2 bits, whose shape the file does not say, and 8 bits (qint8) are read</source>
      <translation>es hat 4 oder 2 Bit, deren Form die Datei nicht nennt, und gelesen werden 8 Bit (qint8)</translation>
    </message>
    <message>
      <source>it has a cache of its own</source>
      <translation>es hat einen eigenen Cache</translation>
    </message>
    <message>
      <source>it has a product in the module {0}, which is not known</source>
      <translation>es hat ein Produkt im Modul {0}, das nicht bekannt ist</translation>
    </message>
    <message>
      <source>it has a vocabulary for the source and one for the target</source>
      <translation>er hat ein Vokabular für die Quelle und eines für das Ziel</translation>
    </message>
    <message>
      <source>it has blocks of {0} numbers, and GGUF's have {1}</source>
      <translation>es hat Blöcke von {0} Zahlen, und die von GGUF haben {1}</translation>
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
      <source>it has no attention heads</source>
      <translation>es hat keine Attention-Köpfe</translation>
    </message>
    <message>
      <source>it has no bfloat16, and leaves such nodes to the CPU provider, which has none either</source>
      <translation>es hat kein bfloat16 und überlässt solche Knoten dem CPU-Provider, der auch keins hat</translation>
    </message>
    <message>
      <source>it has no evidence of its build</source>
      <translation>es hat keine Nachweise seines Baus</translation>
    </message>
    <message>
      <source>it has no float32 mask, or is not in float32</source>
      <translation>es hat keine float32-Maske oder ist nicht in float32</translation>
    </message>
    <message>
      <source>it has no scale, and the last axis has no fixed size</source>
      <translation>es hat keine Skala, und die letzte Achse hat keine feste Größe</translation>
    </message>
    <message>
      <source>it has no tensor '{0}'</source>
      <translation>es hat keinen Tensor „{0}“</translation>
    </message>
    <message>
      <source>it has no tokenizer/{0} (it was built without a tokenizer, or imported)</source>
      <translation>es hat kein tokenizer/{0} (es wurde ohne Tokenizer gebaut oder importiert)</translation>
    </message>
    <message>
      <source>it has the graphs {0}, and one graph is read (graphs=single, variant=plain)</source>
      <translation>es hat die Graphen {0}, und gelesen wird ein Graph (graphs=single, variant=plain)</translation>
    </message>
    <message>
      <source>it has the tensor '{0}' twice</source>
      <translation>es hat den Tensor „{0}“ zweimal</translation>
    </message>
    <message>
      <source>it has {0}</source>
      <translation>es hat {0}</translation>
    </message>
    <message>
      <source>it has {0} bits, and 4 and 8 are read</source>
      <translation>es hat {0} Bit, und gelesen werden 4 und 8</translation>
    </message>
    <message>
      <source>it holds no tensor</source>
      <translation>es enthält keinen Tensor</translation>
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
      <source>it is about PyTorch's compiler</source>
      <translation>es betrifft den Compiler von PyTorch</translation>
    </message>
    <message>
      <source>it is fixed to {0} queries, for which one product over joined rows is faster</source>
      <translation>es ist auf {0} Queries festgelegt, wofür ein Produkt über verbundene Zeilen schneller ist</translation>
    </message>
    <message>
      <source>it is no weight of the checkpoint by itself</source>
      <translation>es ist für sich kein Gewicht des Checkpoints</translation>
    </message>
    <message>
      <source>it is no whole archive ({0})</source>
      <translation>es ist kein ganzes Archiv ({0})</translation>
    </message>
    <message>
      <source>it is not in float32</source>
      <translation>es ist nicht in float32</translation>
    </message>
    <message>
      <source>it is not in the manifest</source>
      <translation>er steht nicht im Manifest</translation>
    </message>
    <message>
      <source>it is of DoRA, which scales the rows of the weights themselves</source>
      <translation>er ist von DoRA, was die Zeilen der Gewichte selbst skaliert</translation>
    </message>
    <message>
      <source>it is of the older form, whose special tokens stand in a program of Mistral alone</source>
      <translation>er ist von der älteren Form, deren besondere Tokens in einem Programm von Mistral allein stehen</translation>
    </message>
    <message>
      <source>it is stored in {0}</source>
      <translation>es ist in {0} gespeichert</translation>
    </message>
    <message>
      <source>it is the head, which the recipe leaves alone</source>
      <translation>es ist der Kopf, den das Rezept nicht anfasst</translation>
    </message>
    <message>
      <source>it keeps no columns between runs</source>
      <translation>es behält zwischen Läufen keine Spalten</translation>
    </message>
    <message>
      <source>it keeps no state of a known size</source>
      <translation>es behält keinen Zustand bekannter Größe</translation>
    </message>
    <message>
      <source>it keeps state of fixed size, which every run of a row replaces</source>
      <translation>es hält einen Zustand fester Größe, den jeder Lauf einer Zeile ersetzt</translation>
    </message>
    <message>
      <source>it keeps the states of several tokens</source>
      <translation>es behält die Zustände mehrerer Tokens</translation>
    </message>
    <message>
      <source>it knows none, so leave it out</source>
      <translation>es kennt keine, also weglassen</translation>
    </message>
    <message>
      <source>it names the version that wrote the file</source>
      <translation>es nennt die Version, die die Datei schrieb</translation>
    </message>
    <message>
      <source>it needs {0} MiB and </source>
      <translation>sie braucht {0} MiB und </translation>
    </message>
    <message>
      <source>it norms over more than the last axis</source>
      <translation>es normiert über mehr als die letzte Achse</translation>
    </message>
    <message>
      <source>it packs as other methods do, by a form of its own name: export it as auto_gptq or auto_awq</source>
      <translation>sie packt wie andere Methoden, unter eigenem Namen der Form: als auto_gptq oder auto_awq exportieren</translation>
    </message>
    <message>
      <source>it quantizes activations to 8 bits at most, not to 16</source>
      <translation>es quantisiert Aktivierungen auf höchstens 8 Bit, nicht auf 16</translation>
    </message>
    <message>
      <source>it raises to a power that is too large</source>
      <translation>es hebt in eine Potenz, die zu groß ist</translation>
    </message>
    <message>
      <source>it reaches for {0}</source>
      <translation>es greift auf {0} zu</translation>
    </message>
    <message>
      <source>it repeats something too often</source>
      <translation>es wiederholt etwas zu oft</translation>
    </message>
    <message>
      <source>it replaces {0} as a whole (modules_to_save or bias)</source>
      <translation>er ersetzt {0} als Ganzes (modules_to_save oder bias)</translation>
    </message>
    <message>
      <source>it rotates {0} of {1} numbers of a head, which transformers does not</source>
      <translation>es dreht {0} von {1} Zahlen eines Kopfes, was transformers nicht tut</translation>
    </message>
    <message>
      <source>it selects experts, which rounding would tip</source>
      <translation>es wählt Experten aus, was Rundung kippen würde</translation>
    </message>
    <message>
      <source>it stands within control flow</source>
      <translation>es steht innerhalb einer Ablaufsteuerung</translation>
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
      <source>it {0}, which is not read from GGUF</source>
      <translation>es {0}, was aus GGUF nicht gelesen wird</translation>
    </message>
    <message>
      <source>its 8-bit integers have zero points, which Q8_0 has not (build with quantize.symmetric=true)</source>
      <translation>seine 8-Bit-Ganzzahlen haben Nullpunkte, die Q8_0 nicht hat (mit quantize.symmetric=true bauen)</translation>
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
      <source>its SentencePiece model divides text into words or characters</source>
      <translation>sein SentencePiece-Modell teilt Text in Wörter oder Zeichen</translation>
    </message>
    <message>
      <source>its SentencePiece model has user-defined pieces or bytes</source>
      <translation>sein SentencePiece-Modell hat eigene Stücke des Benutzers oder Bytes</translation>
    </message>
    <message>
      <source>its SentencePiece model marks the ends of words</source>
      <translation>sein SentencePiece-Modell kennzeichnet die Enden von Wörtern</translation>
    </message>
    <message>
      <source>its activation is {0}</source>
      <translation>seine Aktivierung ist {0}</translation>
    </message>
    <message>
      <source>its alignment is {0}, which is no multiple of 8</source>
      <translation>seine Ausrichtung ist {0}, was kein Vielfaches von 8 ist</translation>
    </message>
    <message>
      <source>its angles depend on {0} besides the positions</source>
      <translation>seine Winkel hängen außer von den Positionen von {0} ab</translation>
    </message>
    <message>
      <source>its architecture is {0}, and these are written: {1}</source>
      <translation>seine Architektur ist {0}, und geschrieben werden: {1}</translation>
    </message>
    <message>
      <source>its attention is its own code, which does not write a cache in place</source>
      <translation>seine Attention ist eigener Code, der keinen Cache an seiner Stelle schreibt</translation>
    </message>
    <message>
      <source>its blocks do not lie along its inputs</source>
      <translation>seine Blöcke liegen nicht entlang seiner Eingänge</translation>
    </message>
    <message>
      <source>its cache has rows of {0} numbers, and copying less than {1} costs less than it saves</source>
      <translation>sein Cache hat Zeilen von {0} Zahlen, und weniger als {1} zu kopieren kostet mehr, als es spart</translation>
    </message>
    <message>
      <source>its columns are in the order of their groups, and rows of a table are wanted as they are</source>
      <translation>seine Spalten sind nach Gruppen geordnet, und Zeilen einer Tabelle werden so gebraucht, wie sie sind</translation>
    </message>
    <message>
      <source>its constants are not those of Gelu</source>
      <translation>seine Konstanten sind nicht die von Gelu</translation>
    </message>
    <message>
      <source>its constants have {0} elements, and no more than {1} are folded</source>
      <translation>seine Konstanten haben {0} Elemente, und höchstens {1} werden gefaltet</translation>
    </message>
    <message>
      <source>its data ends before the tensor '{0}' does, so it is cut short</source>
      <translation>ihre Daten enden vor dem Tensor „{0}“, sie ist also abgeschnitten</translation>
    </message>
    <message>
      <source>its data ends before {0} does, so it is cut short</source>
      <translation>seine Daten enden vor {0}, also ist es abgeschnitten</translation>
    </message>
    <message>
      <source>its forms are those of other methods under names of its own</source>
      <translation>ihre Formen sind die anderer Methoden unter eigenen Namen</translation>
    </message>
    <message>
      <source>its graph has no weight {0} by itself</source>
      <translation>sein Graph hat kein Gewicht {0} für sich</translation>
    </message>
    <message>
      <source>its graph takes adapters as inputs, and a GGUF file holds the model alone: merge one</source>
      <translation>sein Graph nimmt Adapter als Eingänge, und eine GGUF-Datei enthält nur das Modell: einen verschmelzen</translation>
    </message>
    <message>
      <source>its graphs take no mask of branching tokens</source>
      <translation>seine Graphen nehmen keine Maske verzweigter Tokens</translation>
    </message>
    <message>
      <source>its graphs take one text: build with --set batch=N</source>
      <translation>seine Graphen nehmen einen einzigen Text: mit --set batch=N bauen</translation>
    </message>
    <message>
      <source>its graphs take {0} tokens per run, and genai needs any number: build with graphs=single</source>
      <translation>seine Graphen nehmen {0} Tokens je Lauf, und genai braucht jede Zahl: mit graphs=single bauen</translation>
    </message>
    <message>
      <source>its graphs take {0}, which is the same for all rows</source>
      <translation>seine Graphen nehmen {0}, was für alle Zeilen gleich ist</translation>
    </message>
    <message>
      <source>its graphs write it in place</source>
      <translation>seine Graphen schreiben ihn an seiner Stelle</translation>
    </message>
    <message>
      <source>its groups lie along the outputs (axis = 0), and those along the inputs are read</source>
      <translation>seine Gruppen liegen entlang der Ausgänge (axis = 0), und gelesen werden die entlang der Eingänge</translation>
    </message>
    <message>
      <source>its groups of {0} do not divide its {1} inputs</source>
      <translation>seine Gruppen von {0} teilen seine {1} Eingänge nicht</translation>
    </message>
    <message>
      <source>its header is larger than {0} MB</source>
      <translation>ihr Kopf ist größer als {0} MB</translation>
    </message>
    <message>
      <source>its header is larger than {0} MiB</source>
      <translation>sein Kopf ist größer als {0} MiB</translation>
    </message>
    <message>
      <source>its header is not JSON</source>
      <translation>ihr Kopf ist kein JSON</translation>
    </message>
    <message>
      <source>its heads are of several sizes: {0}</source>
      <translation>seine Köpfe haben mehrere Größen: {0}</translation>
    </message>
    <message>
      <source>its inputs are scaled before they are multiplied ('act_pre_scale'), which is not read</source>
      <translation>seine Eingänge werden vor dem Multiplizieren skaliert („act_pre_scale“), was nicht gelesen wird</translation>
    </message>
    <message>
      <source>its integers are in the order of a GPU's kernel</source>
      <translation>ihre Ganzzahlen stehen in der Reihenfolge eines GPU-Kernels</translation>
    </message>
    <message>
      <source>its integers are of {0}, and those up to int8 are read</source>
      <translation>seine ganzen Zahlen sind von {0}, und gelesen werden die bis int8</translation>
    </message>
    <message>
      <source>its integers are stored as floats, or its scales or zero points are quantized themselves</source>
      <translation>seine ganzen Zahlen sind als Gleitkommazahlen gespeichert, oder seine Skalen oder Nullpunkte sind selbst quantisiert</translation>
    </message>
    <message>
      <source>its keys and values differ in size, which transformers does not know of this architecture</source>
      <translation>seine Keys und Values sind verschieden groß, was transformers bei dieser Architektur nicht kennt</translation>
    </message>
    <message>
      <source>its learned position bias needs left-aligned slots, which a ring buffer does not keep</source>
      <translation>sein gelernter Positions-Bias braucht linksbündige Slots, die ein Ringpuffer nicht behält</translation>
    </message>
    <message>
      <source>its logits are of one token already</source>
      <translation>seine Logits sind schon von einem Token</translation>
    </message>
    <message>
      <source>its mean or deviation is read too</source>
      <translation>sein Mittelwert oder seine Abweichung wird auch gelesen</translation>
    </message>
    <message>
      <source>its merge '{0}' is of no two tokens</source>
      <translation>seine Verschmelzung „{0}“ ist von keinen zwei Tokens</translation>
    </message>
    <message>
      <source>its metadata '{0}' is of the unknown type {1}</source>
      <translation>seine Metadaten „{0}“ sind vom unbekannten Typ {1}</translation>
    </message>
    <message>
      <source>its metadata has '{0}' twice</source>
      <translation>seine Metadaten haben „{0}“ zweimal</translation>
    </message>
    <message>
      <source>its metadata is not an object of strings</source>
      <translation>ihre Metadaten sind kein Objekt aus Texten</translation>
    </message>
    <message>
      <source>its metadata lacks tokenizer.ggml.{0}</source>
      <translation>seinen Metadaten fehlt tokenizer.ggml.{0}</translation>
    </message>
    <message>
      <source>its metadata lacks {0}</source>
      <translation>seinen Metadaten fehlt {0}</translation>
    </message>
    <message>
      <source>its metadata tokenizer.ggml.{0}_token_id is {1}, no token's id</source>
      <translation>seine Metadaten tokenizer.ggml.{0}_token_id sind {1}, was keine ID eines Tokens ist</translation>
    </message>
    <message>
      <source>its parts are brought into heads in several ways</source>
      <translation>seine Teile werden auf mehrere Arten in Köpfe gebracht</translation>
    </message>
    <message>
      <source>its parts hold {0} tensors and should hold {1}</source>
      <translation>seine Teile enthalten {0} Tensoren und sollten {1} enthalten</translation>
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
      <source>its query and key are not both turned by a RotaryEmbedding</source>
      <translation>seine Query und sein Key werden nicht beide von einem RotaryEmbedding gedreht</translation>
    </message>
    <message>
      <source>its query and key are turned in two ways</source>
      <translation>seine Query und sein Key werden auf zwei Arten gedreht</translation>
    </message>
    <message>
      <source>its query, keys and values are not all [1,H,S,D] with known H and D</source>
      <translation>seine Query, Keys und Values sind nicht alle [1,H,S,D] mit bekanntem H und D</translation>
    </message>
    <message>
      <source>its rotary reads a table by position already</source>
      <translation>seine Drehung liest schon eine Tabelle nach Position</translation>
    </message>
    <message>
      <source>its rotation is scaled in the way '{0}', which is not known</source>
      <translation>seine Drehung ist auf die Art „{0}“ skaliert, die nicht bekannt ist</translation>
    </message>
    <message>
      <source>its sequence axis is fixed to {0}, and so are the rows of its logits</source>
      <translation>seine Sequenzachse ist auf {0} festgelegt, und damit die Zeilen seiner Logits</translation>
    </message>
    <message>
      <source>its sequence axis is fixed to {0}, and what pads it comes last</source>
      <translation>seine Sequenzachse ist auf {0} festgelegt, und was sie auffüllt, steht zuletzt</translation>
    </message>
    <message>
      <source>its settings are in hf_quant_config.json: export it by llm-compressor</source>
      <translation>ihre Einstellungen stehen in hf_quant_config.json: mit llm-compressor exportieren</translation>
    </message>
    <message>
      <source>its steps take several columns, or features of pictures or sound</source>
      <translation>seine Schritte nehmen mehrere Spalten oder Merkmale von Bildern oder Ton</translation>
    </message>
    <message>
      <source>its tables for {0} positions would be larger than {1} MiB</source>
      <translation>seine Tabellen für {0} Positionen wären größer als {1} MiB</translation>
    </message>
    <message>
      <source>its tensor 'weight.quant_state.bitsandbytes__…' is missing, or of another kind than nf4, fp4</source>
      <translation>sein Tensor „weight.quant_state.bitsandbytes__…“ fehlt oder ist von anderer Art als nf4, fp4</translation>
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
      <source>its tensor '{0}' has {1} axes</source>
      <translation>sein Tensor „{0}“ hat {1} Achsen</translation>
    </message>
    <message>
      <source>its tensor '{0}' has {1} rows for {2} heads</source>
      <translation>sein Tensor „{0}“ hat {1} Zeilen für {2} Köpfe</translation>
    </message>
    <message>
      <source>its tensor '{0}' is missing</source>
      <translation>sein Tensor „{0}“ fehlt</translation>
    </message>
    <message>
      <source>its tensor '{0}' is no short list of float32 numbers</source>
      <translation>sein Tensor „{0}“ ist keine kurze Liste von float32-Zahlen</translation>
    </message>
    <message>
      <source>its tensor '{0}' is none that {1} has, so it would be lost</source>
      <translation>sein Tensor „{0}“ ist keiner, den {1} hat, und ginge also verloren</translation>
    </message>
    <message>
      <source>its tensor '{0}' lies beyond its end</source>
      <translation>sein Tensor „{0}“ liegt hinter seinem Ende</translation>
    </message>
    <message>
      <source>its tensor '{0}' lies in no stored entry of the archive</source>
      <translation>sein Tensor „{0}“ liegt in keinem gespeicherten Eintrag des Archivs</translation>
    </message>
    <message>
      <source>its tensor '{0}' {1}</source>
      <translation>sein Tensor „{0}“ {1}</translation>
    </message>
    <message>
      <source>its tensors '{0}' and '{1}' overlap</source>
      <translation>seine Tensoren „{0}“ und „{1}“ überlappen sich</translation>
    </message>
    <message>
      <source>its tensors {0} do not make '{1}' together</source>
      <translation>seine Tensoren {0} ergeben zusammen nicht „{1}“</translation>
    </message>
    <message>
      <source>its texts are split in the way '{0}' (tokenizer.ggml.pre), not: {1}</source>
      <translation>seine Texte werden auf die Art „{0}“ (tokenizer.ggml.pre) geteilt, nicht: {1}</translation>
    </message>
    <message>
      <source>its token {0} is {1}, beyond the {2} of its vocabulary</source>
      <translation>sein Token {0} ist {1}, jenseits der {2} seines Vokabulars</translation>
    </message>
    <message>
      <source>its tokenizer has the token {0}, and its table of tokens {1} rows</source>
      <translation>sein Tokenizer hat das Token {0}, und seine Tabelle der Tokens {1} Zeilen</translation>
    </message>
    <message>
      <source>its tokenizer is of the kind '{0}', and BERT has WordPiece (bert)</source>
      <translation>sein Tokenizer ist von der Art '{0}', und BERT hat WordPiece (bert)</translation>
    </message>
    <message>
      <source>its tokenizer is of the kind '{0}', and {1} are read</source>
      <translation>sein Tokenizer ist von der Art „{0}“, und gelesen werden {1}</translation>
    </message>
    <message>
      <source>its tokenizer is of the kind {0}, and BPE is written</source>
      <translation>sein Tokenizer ist von der Art {0}, und geschrieben wird BPE</translation>
    </message>
    <message>
      <source>its tokenizer lacks the token that begins a text, ends it or stands for an unknown word</source>
      <translation>seinem Tokenizer fehlt das Token, das einen Text beginnt, ihn beendet oder für ein unbekanntes Wort steht</translation>
    </message>
    <message>
      <source>its tokenizer lacks tokens, or the kind of each</source>
      <translation>seinem Tokenizer fehlen Tokens oder die Art von jedem</translation>
    </message>
    <message>
      <source>its tokenizer splits texts in a way that llama.cpp has no name for</source>
      <translation>sein Tokenizer teilt Texte auf eine Art, für die llama.cpp keinen Namen hat</translation>
    </message>
    <message>
      <source>its tokenizer would read the text '{0}' in another way</source>
      <translation>sein Tokenizer würde den Text „{0}“ anders lesen</translation>
    </message>
    <message>
      <source>its type is {0}</source>
      <translation>sein Typ ist {0}</translation>
    </message>
    <message>
      <source>its unknown piece or its character map is invalid</source>
      <translation>sein unbekanntes Stück oder seine Zeichentabelle ist ungültig</translation>
    </message>
    <message>
      <source>its update_rule is {0}</source>
      <translation>seine update_rule ist {0}</translation>
    </message>
    <message>
      <source>its vocabulary has the token '{0}' twice</source>
      <translation>sein Vokabular hat das Token „{0}“ zweimal</translation>
    </message>
    <message>
      <source>its vocabulary lacks the score of each piece (tokenizer.ggml.scores)</source>
      <translation>seinem Vokabular fehlt die Bewertung jedes Stücks (tokenizer.ggml.scores)</translation>
    </message>
    <message>
      <source>its weight {0} has no place in the architecture</source>
      <translation>sein Gewicht {0} hat in der Architektur keinen Platz</translation>
    </message>
    <message>
      <source>its weights are sums of vectors of a table</source>
      <translation>ihre Gewichte sind Summen von Vektoren einer Tabelle</translation>
    </message>
    <message>
      <source>its weights are transformed before they are multiplied</source>
      <translation>ihre Gewichte werden vor der Multiplikation transformiert</translation>
    </message>
    <message>
      <source>its weights are vectors of a table</source>
      <translation>ihre Gewichte sind Vektoren einer Tabelle</translation>
    </message>
    <message>
      <source>its weights are vectors of a table, transformed</source>
      <translation>ihre Gewichte sind transformierte Vektoren einer Tabelle</translation>
    </message>
    <message>
      <source>its weights have three values, and its activations are rounded to 8 bits</source>
      <translation>ihre Gewichte haben drei Werte, und ihre Aktivierungen sind auf 8 Bit gerundet</translation>
    </message>
    <message>
      <source>its {0} are beyond what 16 bits hold</source>
      <translation>seine {0} übersteigen, was 16 Bit fassen</translation>
    </message>
    <message>
      <source>its {0} draws random numbers, and two draws are not one</source>
      <translation>sein {0} zieht Zufallszahlen, und zwei Ziehungen sind nicht eine</translation>
    </message>
    <message>
      <source>its {0} groups are no pairs, as 4 bits are packed</source>
      <translation>seine {0} Gruppen sind keine Paare, wie 4 Bit gepackt werden</translation>
    </message>
    <message>
      <source>its {0} have 32 bits, and GGUF's 16 do not hold them (--round-scales rounds them)</source>
      <translation>seine {0} haben 32 Bit, und die 16 von GGUF fassen sie nicht (--round-scales rundet sie)</translation>
    </message>
    <message>
      <source>its {0} is {1}</source>
      <translation>sein {0} ist {1}</translation>
    </message>
    <message>
      <source>its {0} layers are not in a list</source>
      <translation>seine {0} Schichten sind nicht in einer Liste</translation>
    </message>
    <message>
      <source>job objects are Windows' own</source>
      <translation>Job-Objekte gibt es nur unter Windows</translation>
    </message>
    <message>
      <source>joinery inspect --graph names them</source>
      <translation>joinery inspect --graph nennt sie</translation>
    </message>
    <message>
      <source>joinery on {0} ended by {1}.</source>
      <translation>joinery auf {0} endete durch {1}.</translation>
    </message>
    <message>
      <source>joinery: Cancelled.</source>
      <translation>joinery: Abgebrochen.</translation>
    </message>
    <message>
      <source>keeps state of fixed size</source>
      <translation>hält einen Zustand fester Größe</translation>
    </message>
    <message>
      <source>knows {0} tokens and the model {1}: choose one of the same family, with the same tokens</source>
      <translation>kennt {0} Tokens und das Modell {1}: eines derselben Familie mit denselben Tokens wählen</translation>
    </message>
    <message>
      <source>labels of tokens</source>
      <translation>Labels von Tokens</translation>
    </message>
    <message>
      <source>lacks its</source>
      <translation>fehlt</translation>
    </message>
    <message>
      <source>lacks the default format in its</source>
      <translation>fehlt das Standardformat in</translation>
    </message>
    <message>
      <source>lacks the weights of {0}, which its settings name: get it again.</source>
      <translation>hat die Gewichte von {0} nicht, die seine Einstellungen nennen: ihn erneut holen.</translation>
    </message>
    <message>
      <source>latency in ms</source>
      <translation>Latenz in ms</translation>
    </message>
    <message>
      <source>leave it out</source>
      <translation>weglassen</translation>
    </message>
    <message>
      <source>leaves 'build' out of its 'steps', and the others need the bundles</source>
      <translation>lässt „build“ in seinen „steps“ aus, und die anderen brauchen die Bundles</translation>
    </message>
    <message>
      <source>leaves a gap before it</source>
      <translation>lässt davor eine Lücke</translation>
    </message>
    <message>
      <source>lm-eval asks decoders of text alone: this bundle has an encoder.</source>
      <translation>lm-eval befragt nur Decoder von Text: Dieses Bundle hat einen Encoder.</translation>
    </message>
    <message>
      <source>lm-eval has no task {0}:{1}.</source>
      <translation>lm-eval hat keine Aufgabe {0}:{1}.</translation>
    </message>
    <message>
      <source>loading PyTorch</source>
      <translation>PyTorch wird geladen</translation>
    </message>
    <message>
      <source>loading the checkpoint in transformers</source>
      <translation>der Checkpoint wird in transformers geladen</translation>
    </message>
    <message>
      <source>loading the weights</source>
      <translation>die Gewichte werden geladen</translation>
    </message>
    <message>
      <source>log in with `hf auth login`</source>
      <translation>mit `hf auth login` anmelden</translation>
    </message>
    <message>
      <source>logits that are NaN</source>
      <translation>Logits, die NaN sind</translation>
    </message>
    <message>
      <source>logits that are not finite are an error</source>
      <translation>Logits, die nicht endlich sind, sind ein Fehler</translation>
    </message>
    <message>
      <source>logits whose largest is {0}</source>
      <translation>Logits, deren größtes {0} ist</translation>
    </message>
    <message>
      <source>longest text</source>
      <translation>längster Text</translation>
    </message>
    <message>
      <source>merge the adapters, without adapters=runtime</source>
      <translation>die Adapter verschmelzen, ohne adapters=runtime</translation>
    </message>
    <message>
      <source>metadata {0} is still there</source>
      <translation>die Metadaten {0} sind noch da</translation>
    </message>
    <message>
      <source>model name</source>
      <translation>Modellname</translation>
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
      <source>moves its rows</source>
      <translation>verschiebt seine Zeilen</translation>
    </message>
    <message>
      <source>mqa has one key head, and the graph's cache has {0}</source>
      <translation>mqa hat einen Key-Kopf, und der Cache des Graphen hat {0}</translation>
    </message>
    <message>
      <source>mu, which brings its own code</source>
      <translation>mu, das eigenen Code mitbringt</translation>
    </message>
    <message>
      <source>name the session that reads the source in state.cross_cache.source</source>
      <translation>in state.cross_cache.source die Session nennen, die die Quelle liest</translation>
    </message>
    <message>
      <source>name who does in pipeline.dataflow</source>
      <translation>in pipeline.dataflow nennen, wer es tut</translation>
    </message>
    <message>
      <source>near it are {0}</source>
      <translation>ähnlich sind {0}</translation>
    </message>
    <message>
      <source>needs an object as its</source>
      <translation>braucht ein Objekt als</translation>
    </message>
    <message>
      <source>needs {0} MiB and</source>
      <translation>braucht {0} MiB und</translation>
    </message>
    <message>
      <source>needs {0} as its</source>
      <translation>braucht {0} als</translation>
    </message>
    <message>
      <source>negative_prompt has no effect without guidance: set guidance as well</source>
      <translation>negative_prompt wirkt nicht ohne guidance: auch guidance setzen</translation>
    </message>
    <message>
      <source>neither the file nor the graphs' logits say how many tokens there are</source>
      <translation>weder die Datei noch die Logits der Graphen sagen, wie viele Tokens es gibt</translation>
    </message>
    <message>
      <source>ngram drafts from the previous text, and {0} from a model: state one of them</source>
      <translation>ngram entwirft aus dem bisherigen Text und {0} aus einem Modell: eines von beiden angeben</translation>
    </message>
    <message>
      <source>ngram drafts, and drafts are off: leave one of the two out</source>
      <translation>ngram macht Entwürfe, und Entwürfe sind aus: eines von beiden weglassen</translation>
    </message>
    <message>
      <source>no MatMul over the sequence gives the logits</source>
      <translation>kein MatMul über die Sequenz ergibt die Logits</translation>
    </message>
    <message>
      <source>no commit</source>
      <translation>kein Commit</translation>
    </message>
    <message>
      <source>no edge of the dataflow takes an output of {0}</source>
      <translation>keine Kante von dataflow nimmt eine Ausgabe von {0}</translation>
    </message>
    <message>
      <source>no graph has {0} weights</source>
      <translation>kein Graph hat Gewichte in {0}</translation>
    </message>
    <message>
      <source>no reason given</source>
      <translation>kein Grund angegeben</translation>
    </message>
    <message>
      <source>no run whose id begins</source>
      <translation>kein Lauf, dessen ID beginnt</translation>
    </message>
    <message>
      <source>no session has an input {0}</source>
      <translation>keine Session hat einen Eingang {0}</translation>
    </message>
    <message>
      <source>no session has inputs named like {0}, so there is no cache to share</source>
      <translation>keine Session hat Eingänge, die wie {0} heißen, also gibt es keinen Cache zu teilen</translation>
    </message>
    <message>
      <source>no session of {0} gives {1}</source>
      <translation>keine Session von {0} gibt {1}</translation>
    </message>
    <message>
      <source>no session of {0} keeps the KV cache</source>
      <translation>keine Session von {0} behält den KV-Cache</translation>
    </message>
    <message>
      <source>no session of {0} takes {1}</source>
      <translation>keine Session von {0} nimmt {1}</translation>
    </message>
    <message>
      <source>no stage of the flow runs it</source>
      <translation>keine Stufe von flow führt es aus</translation>
    </message>
    <message>
      <source>no stage runs at step, so no token can follow the first</source>
      <translation>keine Stufe läuft bei step, also kann kein Token auf das erste folgen</translation>
    </message>
    <message>
      <source>no tags</source>
      <translation>keine Tags</translation>
    </message>
    <message>
      <source>no task</source>
      <translation>keine Aufgabe</translation>
    </message>
    <message>
      <source>no text is for this tokenizer, so rounded by search</source>
      <translation>kein Text ist für diesen Tokenizer, also durch Suche gerundet</translation>
    </message>
    <message>
      <source>no {0} as {1}, but {2}</source>
      <translation>kein {0} als {1}, sondern {2}</translation>
    </message>
    <message>
      <source>no {0} is given with a prompt: there are {1}</source>
      <translation>kein {0} wird mit einer Eingabe gegeben: es gibt {1}</translation>
    </message>
    <message>
      <source>no {0} of {1}</source>
      <translation>kein {0} von {1}</translation>
    </message>
    <message>
      <source>no {0} to mark the used ones</source>
      <translation>kein {0}, um die verwendeten zu kennzeichnen</translation>
    </message>
    <message>
      <source>noise is not added to sound</source>
      <translation>dem Ton wird kein Rauschen zugefügt</translation>
    </message>
    <message>
      <source>none is installed</source>
      <translation>keiner ist installiert</translation>
    </message>
    <message>
      <source>none to choose from</source>
      <translation>keine zur Wahl</translation>
    </message>
    <message>
      <source>none yet</source>
      <translation>noch keiner</translation>
    </message>
    <message>
      <source>not cached</source>
      <translation>nicht im Cache</translation>
    </message>
    <message>
      <source>nothing feeds {0} there: {1} would, and does not run beside it</source>
      <translation>nichts speist dort {0}: {1} täte es und läuft nicht daneben</translation>
    </message>
    <message>
      <source>nothing feeds {0}: {1}</source>
      <translation>nichts speist {0}: {1}</translation>
    </message>
    <message>
      <source>nothing is known of how small {0} can be, which {1} gives</source>
      <translation>nichts ist darüber bekannt, wie klein {0} sein kann, das {1} ergibt</translation>
    </message>
    <message>
      <source>nothing reads {0}</source>
      <translation>nichts liest {0}</translation>
    </message>
    <message>
      <source>nothing to change</source>
      <translation>nichts zu ändern</translation>
    </message>
    <message>
      <source>nothing uses the outputs of {0}</source>
      <translation>nichts verwendet die Ausgaben von {0}</translation>
    </message>
    <message>
      <source>nothing would be compared</source>
      <translation>nichts würde verglichen</translation>
    </message>
    <message>
      <source>numbers other than 0</source>
      <translation>Zahlen außer 0</translation>
    </message>
    <message>
      <source>of any kind</source>
      <translation>jeder Art</translation>
    </message>
    <message>
      <source>of it {0}</source>
      <translation>davon {0}</translation>
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
      <source>of version {0}</source>
      <translation>der Version {0}</translation>
    </message>
    <message>
      <source>off by {0}, {1} of {2} tokens alike</source>
      <translation>weicht um {0} ab, {1} von {2} Tokens gleich</translation>
    </message>
    <message>
      <source>on the front</source>
      <translation>auf der Front</translation>
    </message>
    <message>
      <source>on {0} does not see {1}: all machines need the folder under this path</source>
      <translation>auf {0} sieht {1} nicht: alle Rechner brauchen den Ordner unter diesem Pfad</translation>
    </message>
    <message>
      <source>one column alone: {0}</source>
      <translation>nur eine Spalte: {0}</translation>
    </message>
    <message>
      <source>one length for the height, the width and the crop</source>
      <translation>eine Länge für Höhe, Breite und Ausschnitt</translation>
    </message>
    <message>
      <source>one of {0}</source>
      <translation>eines von {0}</translation>
    </message>
    <message>
      <source>one run</source>
      <translation>ein Lauf</translation>
    </message>
    <message>
      <source>one run: no tokens are generated</source>
      <translation>ein Lauf: es werden keine Tokens erzeugt</translation>
    </message>
    <message>
      <source>only a decoder without an encoder has one</source>
      <translation>nur ein Decoder ohne Encoder hat eine</translation>
    </message>
    <message>
      <source>only genai's own code connects these graphs: give vision one filename</source>
      <translation>nur genais eigener Code verbindet diese Graphen: vision einen einzigen filename geben</translation>
    </message>
    <message>
      <source>only the target verifies drafts, which is {0}</source>
      <translation>nur das Zielmodell prüft Entwürfe, und das ist {0}</translation>
    </message>
    <message>
      <source>only {0} can be used</source>
      <translation>nur {0} ist möglich</translation>
    </message>
    <message>
      <source>onnx's checker refuses the graph: {0}</source>
      <translation>der Prüfer von onnx lehnt den Graphen ab: {0}</translation>
    </message>
    <message>
      <source>onnxruntime cannot open {0}: {1}</source>
      <translation>onnxruntime kann {0} nicht öffnen: {1}</translation>
    </message>
    <message>
      <source>onnxruntime failed in the step: {0}</source>
      <translation>onnxruntime schlug im Schritt fehl: {0}</translation>
    </message>
    <message>
      <source>onnxruntime failed on these inputs: {0}</source>
      <translation>onnxruntime scheiterte an diesen Eingaben: {0}</translation>
    </message>
    <message>
      <source>onnxruntime recorded {0} runs of {1}, and it ran {2} times.</source>
      <translation>onnxruntime zeichnete {0} Läufe von {1} auf, und es lief {2}-mal.</translation>
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
      <source>opset {0} has no RotaryEmbedding, which came with {1}</source>
      <translation>Opset {0} hat kein RotaryEmbedding, das mit {1} kam</translation>
    </message>
    <message>
      <source>or build nevertheless with --ignore-estimate</source>
      <translation>oder mit --ignore-estimate dennoch bauen</translation>
    </message>
    <message>
      <source>other work</source>
      <translation>andere Arbeit</translation>
    </message>
    <message>
      <source>others can reach {0}: give a token, or listen on 127.0.0.1</source>
      <translation>andere können {0} erreichen: ein Token angeben oder auf 127.0.0.1 lauschen</translation>
    </message>
    <message>
      <source>overlaps the tensor before it</source>
      <translation>überlappt den Tensor davor</translation>
    </message>
    <message>
      <source>part: run</source>
      <translation>Teil: Ausführen</translation>
    </message>
    <message>
      <source>parts: run, build</source>
      <translation>Teile: Ausführen, Bauen</translation>
    </message>
    <message>
      <source>passes must map pass names to true or false.</source>
      <translation>passes muss Namen von Durchgängen auf true oder false abbilden.</translation>
    </message>
    <message>
      <source>past and new rows are not joined along the slots</source>
      <translation>alte und neue Zeilen werden nicht entlang der Slots verbunden</translation>
    </message>
    <message>
      <source>peak memory</source>
      <translation>Spitze des Speichers</translation>
    </message>
    <message>
      <source>perplexity ratio</source>
      <translation>Verhältnis der Perplexität</translation>
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
      <source>pip received a file for {0}=={1} whose hash is none of those that Joinery was tested with, and installed nothing: check where pip gets its packages from.</source>
      <translation>pip erhielt für {0}=={1} eine Datei, deren Hash keiner von denen ist, mit denen Joinery geprüft wurde, und installierte nichts: prüfen, woher pip seine Pakete bekommt.</translation>
    </message>
    <message>
      <source>pip received a file whose hash is none of those that Joinery was tested with, and installed nothing: check where pip gets its packages from.</source>
      <translation>pip erhielt eine Datei, deren Hash keiner von denen ist, mit denen Joinery geprüft wurde, und installierte nichts: prüfen, woher pip seine Pakete bekommt.</translation>
    </message>
    <message>
      <source>pipeline.json names no end token, so a transcript cannot end: add tokens.eos to it.</source>
      <translation>pipeline.json nennt kein Ende-Token, also kann ein Transkript nicht enden: tokens.eos ergänzen.</translation>
    </message>
    <message>
      <source>pipeline.roles.amateur must name {0} as well</source>
      <translation>pipeline.roles.amateur muss auch {0} nennen</translation>
    </message>
    <message>
      <source>png, jpeg, webp, gif, bmp or tiff</source>
      <translation>png, jpeg, webp, gif, bmp oder tiff</translation>
    </message>
    <message>
      <source>positions or types choose its rows, which are few and wanted as they are</source>
      <translation>Positionen oder Typen wählen seine Zeilen, die wenige sind und so gebraucht werden, wie sie sind</translation>
    </message>
    <message>
      <source>positive whole numbers</source>
      <translation>positive ganze Zahlen</translation>
    </message>
    <message>
      <source>prefill and decode share one cache, and only one of them keeps {0}</source>
      <translation>prefill und decode teilen einen Cache, und nur eines davon behält {0}</translation>
    </message>
    <message>
      <source>preprocessor_config.json of the bundle makes {0} numbers of the picture, and the graph takes {1}: correct the checkpoint's file and build the bundle again.</source>
      <translation>preprocessor_config.json des Bundles macht {0} Zahlen aus dem Bild, und der Graph nimmt {1}: die Datei des Checkpoints berichtigen und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>printed nothing that could be read</source>
      <translation>gab nichts Lesbares aus</translation>
    </message>
    <message>
      <source>process {0} on {1}</source>
      <translation>Prozess {0} auf {1}</translation>
    </message>
    <message>
      <source>products of {0} × {1}</source>
      <translation>Produkte von {0} × {1}</translation>
    </message>
    <message>
      <source>prompt {0} of {1}</source>
      <translation>Eingabe {0} von {1}</translation>
    </message>
    <message>
      <source>prompts through {0} × {1}</source>
      <translation>Eingaben durch {0} × {1}</translation>
    </message>
    <message>
      <source>quantize.{0} goes with {1}, and not with {2}</source>
      <translation>quantize.{0} passt zu {1} und nicht zu {2}</translation>
    </message>
    <message>
      <source>quantize.{0} names {1}, and no graph has such a node: {2}.</source>
      <translation>quantize.{0} nennt {1}, und kein Graph hat einen solchen Knoten: {2}.</translation>
    </message>
    <message>
      <source>quantizing cost</source>
      <translation>Kosten des Quantisierens</translation>
    </message>
    <message>
      <source>quantizing the weights</source>
      <translation>Gewichte werden quantisiert</translation>
    </message>
    <message>
      <source>question {0} of {1}</source>
      <translation>Frage {0} von {1}</translation>
    </message>
    <message>
      <source>ranks pairs of texts by a head</source>
      <translation>ordnet Paare von Texten mit einem Kopf</translation>
    </message>
    <message>
      <source>reads the whole of {0} at once, of which a window may have lost a part</source>
      <translation>liest {0} auf einmal ganz, wovon ein Fenster einen Teil verloren haben kann</translation>
    </message>
    <message>
      <source>reads {0}, a weight that is not known</source>
      <translation>liest {0}, ein Gewicht, das nicht bekannt ist</translation>
    </message>
    <message>
      <source>regular expression</source>
      <translation>regulärer Ausdruck</translation>
    </message>
    <message>
      <source>remove {0}, or compile again with `joinery compile`.</source>
      <translation>{0} entfernen oder mit `joinery compile` neu kompilieren.</translation>
    </message>
    <message>
      <source>replaces {0}, which another adapter changes: build with one.</source>
      <translation>ersetzt {0}, das ein anderer Adapter ändert: mit einem bauen.</translation>
    </message>
    <message>
      <source>replies are greedy until sampling is requested, with settings of its own</source>
      <translation>Antworten sind greedy, bis Sampling verlangt wird, mit eigenen Einstellungen</translation>
    </message>
    <message>
      <source>resident memory</source>
      <translation>belegter Speicher</translation>
    </message>
    <message>
      <source>resnet, convnext, vit and variants</source>
      <translation>resnet, convnext, vit und Varianten</translation>
    </message>
    <message>
      <source>response_format is one of {0}.</source>
      <translation>response_format ist eines von {0}.</translation>
    </message>
    <message>
      <source>response_format is text, json_object or json_schema with a schema.</source>
      <translation>response_format ist text, json_object oder json_schema mit einem Schema.</translation>
    </message>
    <message>
      <source>restoring product {0} of {1}</source>
      <translation>Produkt {0} von {1} wird wiederhergestellt</translation>
    </message>
    <message>
      <source>roles.draft is {0}, and the strategy's draft is {1}</source>
      <translation>roles.draft ist {0}, und der Entwurf von strategy ist {1}</translation>
    </message>
    <message>
      <source>roofline share</source>
      <translation>Anteil an der Roofline</translation>
    </message>
    <message>
      <source>rotary angles</source>
      <translation>Drehwinkel</translation>
    </message>
    <message>
      <source>rounded with {0}</source>
      <translation>gerundet mit {0}</translation>
    </message>
    <message>
      <source>rows of a cache were tried on the CPU provider alone</source>
      <translation>Zeilen eines Caches wurden nur auf dem CPU-Provider erprobt</translation>
    </message>
    <message>
      <source>rows of {0}</source>
      <translation>Zeilen von {0}</translation>
    </message>
    <message>
      <source>rows of {0} numbers are no whole blocks of {1}</source>
      <translation>Zeilen von {0} Zahlen sind keine ganzen Blöcke von {1}</translation>
    </message>
    <message>
      <source>run {0} of {1}</source>
      <translation>Lauf {0} von {1}</translation>
    </message>
    <message>
      <source>running both</source>
      <translation>beide laufen</translation>
    </message>
    <message>
      <source>running the graph, layer by layer</source>
      <translation>der Graph läuft, Schicht für Schicht</translation>
    </message>
    <message>
      <source>running the model with a cache, layer by layer</source>
      <translation>das Modell läuft mit einem Cache, Schicht für Schicht</translation>
    </message>
    <message>
      <source>sample selects the token, so it must be the last op</source>
      <translation>sample wählt das Token, muss also die letzte Operation sein</translation>
    </message>
    <message>
      <source>scales a product</source>
      <translation>skaliert ein Produkt</translation>
    </message>
    <message>
      <source>scales of the cache over {0}</source>
      <translation>Skalen des Caches über {0}</translation>
    </message>
    <message>
      <source>self_speculative drafts with a separate graph, and the file has no {0}: build the bundle again</source>
      <translation>self_speculative entwirft mit einem eigenen Graphen, und die Datei hat kein {0}: das Bundle neu bauen</translation>
    </message>
    <message>
      <source>session_options of {0} sets {1}, which other settings of the recipe determine.</source>
      <translation>session_options von {0} setzt {1}, was andere Einstellungen des Rezepts bestimmen.</translation>
    </message>
    <message>
      <source>sessions run once for a text before or after its steps</source>
      <translation>Sessions laufen einmal je Text vor oder nach seinen Schritten</translation>
    </message>
    <message>
      <source>several runs whose ids begin</source>
      <translation>mehrere Läufe, deren IDs beginnen</translation>
    </message>
    <message>
      <source>share of the reference's task score</source>
      <translation>Anteil am Aufgabenergebnis der Referenz</translation>
    </message>
    <message>
      <source>shorten it</source>
      <translation>sie kürzen</translation>
    </message>
    <message>
      <source>shorten it or build with source_length={0} or more</source>
      <translation>sie kürzen oder mit source_length={0} oder mehr bauen</translation>
    </message>
    <message>
      <source>signal SIGKILL, with which the system ends what takes too much memory</source>
      <translation>Signal SIGKILL, mit dem das System beendet, was zu viel Speicher braucht</translation>
    </message>
    <message>
      <source>single weights stand beside its blocks</source>
      <translation>einzelne Gewichte stehen neben ihren Blöcken</translation>
    </message>
    <message>
      <source>something else reads the joined rows</source>
      <translation>etwas anderes liest die verbundenen Zeilen</translation>
    </message>
    <message>
      <source>something reads the norm's mean or variance</source>
      <translation>etwas liest den Mittelwert oder die Varianz der Norm</translation>
    </message>
    <message>
      <source>sound is padded at its end</source>
      <translation>Ton wird am Ende aufgefüllt</translation>
    </message>
    <message>
      <source>source_length is the length of an encoder, and {0} has none: leave it out.</source>
      <translation>source_length ist die Länge eines Encoders, und {0} hat keinen: weglassen.</translation>
    </message>
    <message>
      <source>ssh ended with code {0}</source>
      <translation>ssh endete mit Code {0}</translation>
    </message>
    <message>
      <source>step {0} of {1}</source>
      <translation>Schritt {0} von {1}</translation>
    </message>
    <message>
      <source>stopped by an error</source>
      <translation>durch einen Fehler angehalten</translation>
    </message>
    <message>
      <source>stored experts</source>
      <translation>gespeicherte Experten</translation>
    </message>
    <message>
      <source>suggestions restore products of its graphs</source>
      <translation>Vorschläge stellen Produkte seiner Graphen wieder her</translation>
    </message>
    <message>
      <source>switched adapters</source>
      <translation>umschaltbare Adapter</translation>
    </message>
    <message>
      <source>take a smaller checkpoint</source>
      <translation>einen kleineren Checkpoint nehmen</translation>
    </message>
    <message>
      <source>takes no</source>
      <translation>nimmt kein</translation>
    </message>
    <message>
      <source>takes the number of slots as the number of tokens, and a window has fewer slots</source>
      <translation>nimmt die Zahl der Slots als Zahl der Tokens, und ein Fenster hat weniger Slots</translation>
    </message>
    <message>
      <source>takes {0} besides</source>
      <translation>nimmt daneben {0}</translation>
    </message>
    <message>
      <source>that is the placeholder of its chat templates</source>
      <translation>das der Platzhalter seiner Chat-Vorlagen ist</translation>
    </message>
    <message>
      <source>that is the token of its published checkpoints</source>
      <translation>das das Token seiner veröffentlichten Checkpoints ist</translation>
    </message>
    <message>
      <source>that name no image_processor_type</source>
      <translation>die keinen image_processor_type nennen</translation>
    </message>
    <message>
      <source>the activation {0}</source>
      <translation>die Aktivierung {0}</translation>
    </message>
    <message>
      <source>the angle of a position depends on more than the position</source>
      <translation>der Winkel einer Position hängt von mehr als der Position ab</translation>
    </message>
    <message>
      <source>the array '{0}' of {1} entries</source>
      <translation>das Feld „{0}“ mit {1} Einträgen</translation>
    </message>
    <message>
      <source>the built-in sentences</source>
      <translation>die eingebauten Sätze</translation>
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
      <source>the bundle's own</source>
      <translation>die des Bundles selbst</translation>
    </message>
    <message>
      <source>the cache is of the scatter layout, whose TensorScatter writes the rows: build with gqa</source>
      <translation>der Cache hat das Layout scatter, dessen TensorScatter die Zeilen schreibt: mit gqa bauen</translation>
    </message>
    <message>
      <source>the calibration prompts, {0}</source>
      <translation>die Kalibriereingaben, {0}</translation>
    </message>
    <message>
      <source>the chain is invalid: {0}</source>
      <translation>die Kette ist ungültig: {0}</translation>
    </message>
    <message>
      <source>the character map is cut short</source>
      <translation>die Zeichentabelle ist abgeschnitten</translation>
    </message>
    <message>
      <source>the checkpoint brings code of its own</source>
      <translation>der Checkpoint bringt eigenen Code mit</translation>
    </message>
    <message>
      <source>the checkpoint stores it in {0}</source>
      <translation>der Checkpoint speichert es in {0}</translation>
    </message>
    <message>
      <source>the constant {0} has {1} elements, and is not read for this</source>
      <translation>die Konstante {0} hat {1} Elemente und wird dafür nicht gelesen</translation>
    </message>
    <message>
      <source>the decoder has a pipeline, so it must not name a graph</source>
      <translation>der Decoder hat eine Pipeline, daher darf er keinen Graphen nennen</translation>
    </message>
    <message>
      <source>the decoder's first token</source>
      <translation>das erste Token des Decoders</translation>
    </message>
    <message>
      <source>the divisors of its rotary frequencies are not those of Llama 3, and no others are known</source>
      <translation>die Teiler seiner Drehfrequenzen sind nicht die von Llama 3, und andere sind nicht bekannt</translation>
    </message>
    <message>
      <source>the draft carries a state on that knows no way back: name one with a KV cache alone</source>
      <translation>der Entwurf führt einen Zustand fort, der keinen Weg zurück kennt: einen nur mit KV-Cache nennen</translation>
    </message>
    <message>
      <source>the draft gives logits of {0} tokens and the target of {1}</source>
      <translation>der Entwurf gibt Logits von {0} Tokens und das Zielmodell von {1}</translation>
    </message>
    <message>
      <source>the draft has {0} layers, and {1} are said to draft</source>
      <translation>der Entwurf hat {0} Schichten, und {1} sollen entwerfen</translation>
    </message>
    <message>
      <source>the entry point is not a function</source>
      <translation>der Einstiegspunkt ist keine Funktion</translation>
    </message>
    <message>
      <source>the entry point returned no machine</source>
      <translation>der Einstiegspunkt gab keine Maschine zurück</translation>
    </message>
    <message>
      <source>the file</source>
      <translation>die Datei</translation>
    </message>
    <message>
      <source>the file must name the placeholder token of {0} features</source>
      <translation>die Datei muss das Platzhalter-Token der Merkmale von {0} nennen</translation>
    </message>
    <message>
      <source>the file must say how many tokens the cache holds</source>
      <translation>die Datei muss sagen, wie viele Tokens der Cache fasst</translation>
    </message>
    <message>
      <source>the file {0}</source>
      <translation>die Datei {0}</translation>
    </message>
    <message>
      <source>the flow runs {0} for the target, and a draft runs by itself: remove it from the flow</source>
      <translation>flow führt {0} für das Zielmodell aus, und ein Entwurf läuft für sich: es aus flow entfernen</translation>
    </message>
    <message>
      <source>the flow runs {0}, and the amateur must be another model</source>
      <translation>flow führt {0} aus, und das Amateurmodell muss ein anderes sein</translation>
    </message>
    <message>
      <source>the folder's tokenizer must lie in it</source>
      <translation>der Tokenizer des Ordners muss in ihm liegen</translation>
    </message>
    <message>
      <source>the function's {0}</source>
      <translation>{0} der Funktion</translation>
    </message>
    <message>
      <source>the graph does not say how many positions the model has ({0})</source>
      <translation>der Graph sagt nicht, wie viele Positionen das Modell hat ({0})</translation>
    </message>
    <message>
      <source>the graph has no float32 weight</source>
      <translation>der Graph hat kein float32-Gewicht</translation>
    </message>
    <message>
      <source>the graph has no input {0}: in the static and window layouts the host writes the rows, and masks tell which slots are valid; build with --cache gqa</source>
      <translation>der Graph hat keinen Eingang {0}: in den Layouts static und window schreibt der Host die Zeilen, und Masken sagen, welche Slots gültig sind; mit --cache gqa bauen</translation>
    </message>
    <message>
      <source>the graph has no node in the role {0}</source>
      <translation>der Graph hat keinen Knoten in der Rolle {0}</translation>
    </message>
    <message>
      <source>the graph has no output logits of three axes</source>
      <translation>der Graph hat keine Ausgabe logits mit drei Achsen</translation>
    </message>
    <message>
      <source>the graph has no output of {0} heads</source>
      <translation>der Graph hat keine Ausgabe von {0} Köpfen</translation>
    </message>
    <message>
      <source>the graph keeps no cache</source>
      <translation>der Graph hat keinen Cache</translation>
    </message>
    <message>
      <source>the graph takes no {0}</source>
      <translation>der Graph nimmt kein {0}</translation>
    </message>
    <message>
      <source>the graph's attention is {0}</source>
      <translation>die Attention des Graphen ist {0}</translation>
    </message>
    <message>
      <source>the graph's cache has no scales, and only a build gives it some</source>
      <translation>der Cache des Graphen hat keine Skalen, und nur ein Bau gibt ihm welche</translation>
    </message>
    <message>
      <source>the graph's cache is {0}, and only a build makes it {1}</source>
      <translation>der Cache des Graphen ist {0}, und nur ein Bau macht ihn zu {1}</translation>
    </message>
    <message>
      <source>the halves of {0} are not known to be equal</source>
      <translation>die Hälften von {0} sind nicht als gleich bekannt</translation>
    </message>
    <message>
      <source>the head that is tied to it stays as it is: a second table would add to its {0} bytes</source>
      <translation>der Kopf, der mit ihr verbunden ist, bleibt, wie er ist: eine zweite Tabelle käme zu ihren {0} Bytes hinzu</translation>
    </message>
    <message>
      <source>the head's input has {0} axes, and Gemm can serve 2 or 3</source>
      <translation>die Eingabe des Kopfes hat {0} Achsen, und Gemm kann mit 2 oder 3 arbeiten</translation>
    </message>
    <message>
      <source>the heads know {0} tokens and the model {1}</source>
      <translation>die Köpfe kennen {0} Tokens und das Modell {1}</translation>
    </message>
    <message>
      <source>the heads take hidden states of {0} numbers and the model's have {1}</source>
      <translation>die Köpfe nehmen verborgene Zustände von {0} Zahlen, und die des Modells haben {1}</translation>
    </message>
    <message>
      <source>the import of {0} is unused</source>
      <translation>der Import von {0} wird nicht verwendet</translation>
    </message>
    <message>
      <source>the input {0} may hold −inf</source>
      <translation>der Eingang {0} kann −inf enthalten</translation>
    </message>
    <message>
      <source>the kernel refuses it {0} ({1})</source>
      <translation>der Kernel lehnt ihn {0} ab ({1})</translation>
    </message>
    <message>
      <source>the key is one of version 2: write "version": 2</source>
      <translation>der Schlüssel ist einer von Version 2: "version": 2 schreiben</translation>
    </message>
    <message>
      <source>the list of files</source>
      <translation>die Liste der Dateien</translation>
    </message>
    <message>
      <source>the mean is not over the last axis alone, or drops it</source>
      <translation>der Mittelwert geht nicht nur über die letzte Achse oder lässt sie weg</translation>
    </message>
    <message>
      <source>the metadata of its file do not say of which class it is</source>
      <translation>die Metadaten seiner Datei nennen seine Klasse nicht</translation>
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
      <source>the model has a part called {0} already</source>
      <translation>das Modell hat schon einen Teil namens {0}</translation>
    </message>
    <message>
      <source>the model has functions, whose types would not follow</source>
      <translation>das Modell hat Funktionen, deren Typen nicht folgen würden</translation>
    </message>
    <message>
      <source>the model's class reads other files, and tokenizer_config.json names no tokenizer_class that reads these</source>
      <translation>die Klasse des Modells liest andere Dateien, und tokenizer_config.json nennt keine tokenizer_class, die diese liest</translation>
    </message>
    <message>
      <source>the model{0}</source>
      <translation>das Modell{0}</translation>
    </message>
    <message>
      <source>the module {0}</source>
      <translation>das Modul {0}</translation>
    </message>
    <message>
      <source>the modules {0} in this order</source>
      <translation>die Module {0} in dieser Reihenfolge</translation>
    </message>
    <message>
      <source>the name must hold %d exactly once, for the layer, and no other %: {0}</source>
      <translation>der Name muss genau einmal %d enthalten, für die Schicht, und kein anderes %: {0}</translation>
    </message>
    <message>
      <source>the name of a rule</source>
      <translation>der Name einer Regel</translation>
    </message>
    <message>
      <source>the nodes that {0} needs for genai's inputs use Joinery's tensor names</source>
      <translation>die Knoten, die {0} für die Eingänge von genai braucht, verwenden Joinerys Tensornamen</translation>
    </message>
    <message>
      <source>the norm is not computed in float32</source>
      <translation>die Norm wird nicht in float32 berechnet</translation>
    </message>
    <message>
      <source>the norm is not over the last axis alone</source>
      <translation>die Norm geht nicht nur über die letzte Achse</translation>
    </message>
    <message>
      <source>the op grammar needs a grammar: Lark's, or a JSON schema</source>
      <translation>die Operation grammar braucht eine Grammatik: eine von Lark oder ein JSON-Schema</translation>
    </message>
    <message>
      <source>the op {0} needs {1} {2}</source>
      <translation>die Operation {0} braucht {1} {2}</translation>
    </message>
    <message>
      <source>the op {0} takes a value from {1} to {2}</source>
      <translation>die Operation {0} nimmt einen Wert von {1} bis {2}</translation>
    </message>
    <message>
      <source>the op {0} takes a whole number</source>
      <translation>die Operation {0} nimmt eine ganze Zahl</translation>
    </message>
    <message>
      <source>the operator takes no {0}</source>
      <translation>der Operator nimmt kein {0}</translation>
    </message>
    <message>
      <source>the option modality_config = {0}</source>
      <translation>die Option modality_config = {0}</translation>
    </message>
    <message>
      <source>the option {0}</source>
      <translation>die Option {0}</translation>
    </message>
    <message>
      <source>the other passages of {0}</source>
      <translation>die anderen Abschnitte von {0}</translation>
    </message>
    <message>
      <source>the others of the {0}</source>
      <translation>die anderen der {0}</translation>
    </message>
    <message>
      <source>the package {0}</source>
      <translation>das Paket {0}</translation>
    </message>
    <message>
      <source>the part {0} of Joinery, whose package {1}</source>
      <translation>der Teil {0} von Joinery, dessen Paket {1}</translation>
    </message>
    <message>
      <source>the passes together</source>
      <translation>die Pässe zusammen</translation>
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
      <source>the plugin {0} of {1}</source>
      <translation>das Plug-in {0} von {1}</translation>
    </message>
    <message>
      <source>the pooling {0}</source>
      <translation>das Pooling {0}</translation>
    </message>
    <message>
      <source>the preset {0} is in {1}, not in {2}: choose one of them</source>
      <translation>die Vorgabe {0} ist in {1}, nicht in {2}: eines davon wählen</translation>
    </message>
    <message>
      <source>the range of its input is too large for a grid</source>
      <translation>der Bereich seiner Eingabe ist zu groß für ein Raster</translation>
    </message>
    <message>
      <source>the rank of {0} is not known, and Gemm takes matrices</source>
      <translation>der Rang von {0} ist nicht bekannt, und Gemm nimmt Matrizen</translation>
    </message>
    <message>
      <source>the recipe decides on the cache and how prompts are read</source>
      <translation>das Rezept bestimmt den Cache und wie Eingaben gelesen werden</translation>
    </message>
    <message>
      <source>the recipe excludes it</source>
      <translation>das Rezept schließt ihn aus</translation>
    </message>
    <message>
      <source>the released genai has no type of model that reads {0} as {1} does: Joinery exports {2}</source>
      <translation>das veröffentlichte genai hat keinen Modelltyp, der {0} wie {1} liest: Joinery exportiert {2}</translation>
    </message>
    <message>
      <source>the released genai runs no composite of the route {0} as Joinery builds it</source>
      <translation>das veröffentlichte genai führt keine Komposition des Wegs {0} aus, wie Joinery sie baut</translation>
    </message>
    <message>
      <source>the rounding compensated needs int4</source>
      <translation>die Rundung compensated braucht int4</translation>
    </message>
    <message>
      <source>the rows of its logits can be chosen already</source>
      <translation>die Zeilen seiner Logits sind schon wählbar</translation>
    </message>
    <message>
      <source>the same height and width</source>
      <translation>dieselbe Höhe und Breite</translation>
    </message>
    <message>
      <source>the sessions disagree on the shape of the cache that they share</source>
      <translation>die Sessions sind über die Form des Caches, den sie teilen, uneins</translation>
    </message>
    <message>
      <source>the similarity {0}</source>
      <translation>die Ähnlichkeit {0}</translation>
    </message>
    <message>
      <source>the size of its decay or of its beta is not known</source>
      <translation>die Größe seines Abfalls oder seines beta ist nicht bekannt</translation>
    </message>
    <message>
      <source>the size of its heads is not known</source>
      <translation>die Größe seiner Köpfe ist nicht bekannt</translation>
    </message>
    <message>
      <source>the size of its kernel is not known</source>
      <translation>die Größe seines Kernels ist nicht bekannt</translation>
    </message>
    <message>
      <source>the stage never runs</source>
      <translation>die Stufe läuft nie</translation>
    </message>
    <message>
      <source>the strategy drafts with {0}, which is not a session</source>
      <translation>die Strategie entwirft mit {0}, was keine Session ist</translation>
    </message>
    <message>
      <source>the stream holds no frame</source>
      <translation>der Strom enthält keinen Frame</translation>
    </message>
    <message>
      <source>the sum has {0} axes, and the operator takes 2 or 3</source>
      <translation>die Summe hat {0} Achsen, und der Operator nimmt 2 oder 3</translation>
    </message>
    <message>
      <source>the summands are not known to have one shape: {0} and {1}</source>
      <translation>die Summanden sind nicht als von einer Form bekannt: {0} und {1}</translation>
    </message>
    <message>
      <source>the table of tokens stays as it is beside the quantized head that is tied to it, {0} bytes</source>
      <translation>die Tabelle der Tokens bleibt, wie sie ist, neben dem quantisierten Kopf, der mit ihr verbunden ist, {0} Bytes</translation>
    </message>
    <message>
      <source>the target carries a state on that knows no way back from a wrong draft: take it out</source>
      <translation>das Zielmodell führt einen Zustand fort, der nach einem falschen Entwurf keinen Weg zurück kennt: ihn herausnehmen</translation>
    </message>
    <message>
      <source>the target is {0}, and {1}</source>
      <translation>das Ziel ist {0}, und {1}</translation>
    </message>
    <message>
      <source>the target must run at each step, and the flow does not run {0}</source>
      <translation>das Zielmodell muss bei jedem Schritt laufen, und flow führt {0} nicht aus</translation>
    </message>
    <message>
      <source>the target reads a source first, which a draft cannot: leave the draft out</source>
      <translation>das Zielmodell liest zuerst eine Quelle, was ein Entwurf nicht kann: den Entwurf weglassen</translation>
    </message>
    <message>
      <source>the text of '{0}'</source>
      <translation>der Text von „{0}“</translation>
    </message>
    <message>
      <source>the text part of models that read pictures or sound beside it</source>
      <translation>der Textteil von Modellen, die daneben Bilder oder Ton lesen</translation>
    </message>
    <message>
      <source>the token {0} is not among the {1} of the vocabulary</source>
      <translation>das Token {0} ist nicht unter den {1} des Vokabulars</translation>
    </message>
    <message>
      <source>the token {0} is not in the vocabulary of {1}</source>
      <translation>das Token {0} ist nicht im Vokabular von {1}</translation>
    </message>
    <message>
      <source>the tokenizer knows none of the texts to measure with</source>
      <translation>der Tokenizer kennt keinen der Messtexte</translation>
    </message>
    <message>
      <source>the tokenizer puts it before a prompt</source>
      <translation>der Tokenizer setzt es vor eine Eingabe</translation>
    </message>
    <message>
      <source>the tokens of a prompt attend to each other, and a window may have lost some of them</source>
      <translation>die Tokens einer Eingabe sehen einander, und ein Fenster kann einige davon verloren haben</translation>
    </message>
    <message>
      <source>the topology medusa_choices needs choices</source>
      <translation>die Topologie medusa_choices braucht choices</translation>
    </message>
    <message>
      <source>the transcript of a window of sound ends before the table of its positions does</source>
      <translation>die Abschrift eines Tonfensters endet vor der Tabelle seiner Positionen</translation>
    </message>
    <message>
      <source>the transformer-only variant attends in place</source>
      <translation>die Variante transformer-only rechnet die Attention an Ort und Stelle</translation>
    </message>
    <message>
      <source>the weight has {0} axes, and only matrices are quantized</source>
      <translation>das Gewicht hat {0} Achsen, und nur Matrizen werden quantisiert</translation>
    </message>
    <message>
      <source>the weight is the left operand, and only right operands are quantized</source>
      <translation>das Gewicht ist der linke Operand, und nur rechte Operanden werden quantisiert</translation>
    </message>
    <message>
      <source>the weight is {0}</source>
      <translation>das Gewicht ist {0}</translation>
    </message>
    <message>
      <source>the weight {0} is a part of a stored one</source>
      <translation>das Gewicht {0} ist ein Teil eines gespeicherten</translation>
    </message>
    <message>
      <source>the weight {0} is computed from stored ones</source>
      <translation>das Gewicht {0} wird aus gespeicherten berechnet</translation>
    </message>
    <message>
      <source>the weight {0} is shared with another node</source>
      <translation>das Gewicht {0} gehört auch einem anderen Knoten</translation>
    </message>
    <message>
      <source>the weight {0} is stored in {1}</source>
      <translation>das Gewicht {0} ist in {1} gespeichert</translation>
    </message>
    <message>
      <source>the weights are as the checkpoint stores them</source>
      <translation>die Gewichte sind so, wie der Checkpoint sie speichert</translation>
    </message>
    <message>
      <source>the weights have different numbers of rows</source>
      <translation>die Gewichte haben verschiedene Zahlen von Zeilen</translation>
    </message>
    <message>
      <source>the weights of its experts are computed</source>
      <translation>die Gewichte seiner Experten werden berechnet</translation>
    </message>
    <message>
      <source>the {0} cache gets full and slides no window</source>
      <translation>der Cache {0} wird voll und verschiebt kein Fenster</translation>
    </message>
    <message>
      <source>the {0} cache takes one mask for all columns of a run: build with --cache gqa --set batch=N</source>
      <translation>der Cache {0} nimmt eine Maske für alle Spalten eines Laufs: mit --cache gqa --set batch=N bauen</translation>
    </message>
    <message>
      <source>the {0} must be a session of the target, and the flow does not run {1}</source>
      <translation>{0} muss eine Session des Zielmodells sein, und flow führt {1} nicht aus</translation>
    </message>
    <message>
      <source>the {0}s are of different types</source>
      <translation>die {0}s sind von verschiedenen Typen</translation>
    </message>
    <message>
      <source>there are {0}</source>
      <translation>es gibt {0}</translation>
    </message>
    <message>
      <source>there are {0} tokens, and the graphs give logits of {1}</source>
      <translation>es gibt {0} Tokens, und die Graphen geben Logits von {1}</translation>
    </message>
    <message>
      <source>there is no file {0} in the folder</source>
      <translation>im Ordner gibt es keine Datei {0}</translation>
    </message>
    <message>
      <source>there is no filter of system calls for {0} here</source>
      <translation>für {0} gibt es hier keinen Filter von Systemaufrufen</translation>
    </message>
    <message>
      <source>there is no folder {0}</source>
      <translation>es gibt keinen Ordner {0}</translation>
    </message>
    <message>
      <source>there is no graph that gives logits</source>
      <translation>kein Graph gibt Logits</translation>
    </message>
    <message>
      <source>there is no option {0}: there are {1}, and onnxruntime's entries, as session.x</source>
      <translation>es gibt keine Option {0}: es gibt {1} und die Einträge von onnxruntime, als session.x</translation>
    </message>
    <message>
      <source>there is no such key: there are {0}</source>
      <translation>einen solchen Schlüssel gibt es nicht: es gibt {0}</translation>
    </message>
    <message>
      <source>there is no such name: there are {0}</source>
      <translation>einen solchen Namen gibt es nicht: es gibt {0}</translation>
    </message>
    <message>
      <source>there is no version {0}: there are 1 and 2</source>
      <translation>eine Version {0} gibt es nicht: es gibt 1 und 2</translation>
    </message>
    <message>
      <source>there is none yet</source>
      <translation>es gibt noch keinen</translation>
    </message>
    <message>
      <source>these layers write a ring buffer: `joinery import` changes the graph so that it runs</source>
      <translation>diese Schichten schreiben einen Ringpuffer: `joinery import` ändert den Graphen so, dass er läuft</translation>
    </message>
    <message>
      <source>this Gemm scales or turns its input, which integer products do not</source>
      <translation>dieses Gemm skaliert oder transponiert seine Eingabe, was Ganzzahlprodukte nicht tun</translation>
    </message>
    <message>
      <source>this Gemm's bias is not one number a column</source>
      <translation>der Bias dieses Gemm ist nicht eine Zahl je Spalte</translation>
    </message>
    <message>
      <source>this bundle</source>
      <translation>dieses Bundle</translation>
    </message>
    <message>
      <source>this model keeps no cache</source>
      <translation>dieses Modell hat keinen Cache</translation>
    </message>
    <message>
      <source>those of texts of more than {0} tokens</source>
      <translation>die für Texte über {0} Tokens</translation>
    </message>
    <message>
      <source>tiles are given with their mask</source>
      <translation>Kacheln werden mit ihrer Maske gegeben</translation>
    </message>
    <message>
      <source>tokens per step</source>
      <translation>Tokens je Schritt</translation>
    </message>
    <message>
      <source>told nothing</source>
      <translation>meldete nichts</translation>
    </message>
    <message>
      <source>too long</source>
      <translation>zu lang</translation>
    </message>
    <message>
      <source>too much</source>
      <translation>zu viel</translation>
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
      <source>tool_choice names a tool that is not among tools.</source>
      <translation>tool_choice nennt ein Werkzeug, das nicht unter tools ist.</translation>
    </message>
    <message>
      <source>tool_choice needs tools: send them too.</source>
      <translation>tool_choice braucht tools: auch sie senden.</translation>
    </message>
    <message>
      <source>top_logprobs needs logprobs: set it to true.</source>
      <translation>top_logprobs braucht logprobs: auf true setzen.</translation>
    </message>
    <message>
      <source>torch cannot export this model to ONNX: {0}; it may use an operator that ONNX lacks.</source>
      <translation>torch kann dieses Modell nicht nach ONNX exportieren: {0}; es verwendet vielleicht einen Operator, den ONNX nicht hat.</translation>
    </message>
    <message>
      <source>torch cannot read it ({0})</source>
      <translation>torch kann es nicht lesen ({0})</translation>
    </message>
    <message>
      <source>torch {0} came with a file whose hash is none of the published ones, and was removed again: look at where pip gets its packages from.</source>
      <translation>torch {0} kam mit einer Datei, deren Hash keiner der veröffentlichten ist, und wurde wieder entfernt: nachsehen, woher pip seine Pakete bekommt.</translation>
    </message>
    <message>
      <source>torch {0} is a build of this machine's package index; its hash is not published (sha256 {1})</source>
      <translation>torch {0} ist ein Bau des Paketindex dieses Rechners; sein Hash ist nicht veröffentlicht (sha256 {1})</translation>
    </message>
    <message>
      <source>torchao, 4-bit integers, one in a byte</source>
      <translation>torchao, 4-Bit-Ganzzahlen, eine im Byte</translation>
    </message>
    <message>
      <source>torchao, 4-bit integers, two in a byte (Int4Tensor)</source>
      <translation>torchao, 4-Bit-Ganzzahlen, zwei im Byte (Int4Tensor)</translation>
    </message>
    <message>
      <source>torchao, 8-bit integers</source>
      <translation>torchao, 8-Bit-Ganzzahlen</translation>
    </message>
    <message>
      <source>tracing the {0}</source>
      <translation>{0} wird aufgezeichnet</translation>
    </message>
    <message>
      <source>transformers cannot load {0} ({1}): check config.json and the weights.</source>
      <translation>transformers kann {0} nicht laden ({1}): config.json und die Gewichte prüfen.</translation>
    </message>
    <message>
      <source>transformers computes the weight {0} from stored ones</source>
      <translation>transformers berechnet das Gewicht {0} aus gespeicherten</translation>
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
      <source>two of its axes have no fixed size, and a Reshape can leave one open</source>
      <translation>zwei seiner Achsen haben keine feste Größe, und ein Reshape kann eine offenlassen</translation>
    </message>
    <message>
      <source>two of its tokens have the same id</source>
      <translation>zwei seiner Tokens haben dieselbe ID</translation>
    </message>
    <message>
      <source>two stages have one name</source>
      <translation>zwei Stufen haben einen Namen</translation>
    </message>
    <message>
      <source>unconditional role</source>
      <translation>Rolle ohne Bedingung</translation>
    </message>
    <message>
      <source>unknown type</source>
      <translation>unbekannter Typ</translation>
    </message>
    <message>
      <source>uses slots as positions, which a window reassigns</source>
      <translation>verwendet Slots als Positionen, die ein Fenster neu vergibt</translation>
    </message>
    <message>
      <source>version 1 has no chain</source>
      <translation>Version 1 hat keine Kette</translation>
    </message>
    <message>
      <source>version 1 has no such key</source>
      <translation>Version 1 hat keinen solchen Schlüssel</translation>
    </message>
    <message>
      <source>version 1 has no such key, and states drafting differently</source>
      <translation>Version 1 hat keinen solchen Schlüssel und beschreibt Entwürfe anders</translation>
    </message>
    <message>
      <source>version 2 has no key for state of fixed size, and this bundle has {0}</source>
      <translation>Version 2 hat keinen Schlüssel für Zustand fester Größe, und dieses Bundle hat {0}</translation>
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
      <source>wants {0} of the tag {1} in {2}: give a number above 0</source>
      <translation>verlangt {0} des Tags {1} in {2}: eine Zahl über 0 angeben</translation>
    </message>
    <message>
      <source>warming up</source>
      <translation>wird warmgelaufen</translation>
    </message>
    <message>
      <source>wav, flac, ogg, mp3 or aiff</source>
      <translation>wav, flac, ogg, mp3 oder aiff</translation>
    </message>
    <message>
      <source>what it did</source>
      <translation>was er tat</translation>
    </message>
    <message>
      <source>what it makes of positions is not [1, columns, size]</source>
      <translation>was es aus Positionen macht, ist nicht [1, columns, size]</translation>
    </message>
    <message>
      <source>what it puts for NaN is not the constant 0</source>
      <translation>was es für NaN einsetzt, ist nicht die Konstante 0</translation>
    </message>
    <message>
      <source>what it turns is {0}, and the operator takes [B,H,S,D] of floating-point numbers</source>
      <translation>was es dreht, ist {0}, und der Operator nimmt [B,H,S,D] von Gleitkommazahlen</translation>
    </message>
    <message>
      <source>what its tokens attend to depends on more than the number of tokens before them</source>
      <translation>worauf seine Tokens achten, hängt von mehr ab als von der Zahl der Tokens davor</translation>
    </message>
    <message>
      <source>what quantizing cost was not measured: {0}</source>
      <translation>was das Quantisieren kostete, wurde nicht gemessen: {0}</translation>
    </message>
    <message>
      <source>where beams are requested (--beams)</source>
      <translation>wo Beams verlangt werden (--beams)</translation>
    </message>
    <message>
      <source>which is not right for this model: {0}</source>
      <translation>das für dieses Modell nicht richtig ist: {0}</translation>
    </message>
    <message>
      <source>whole build</source>
      <translation>ganzer Bau</translation>
    </message>
    <message>
      <source>whole numbers</source>
      <translation>ganze Zahlen</translation>
    </message>
    <message>
      <source>whose config.json has the part {0}</source>
      <translation>dessen config.json den Teil {0} hat</translation>
    </message>
    <message>
      <source>whose weights are gathered for each token</source>
      <translation>deren Gewichte für jedes Token zusammengesucht werden</translation>
    </message>
    <message>
      <source>with --cache static</source>
      <translation>mit --cache static</translation>
    </message>
    <message>
      <source>writes rows into their slots itself</source>
      <translation>schreibt Zeilen selbst in ihre Slots</translation>
    </message>
    <message>
      <source>writing the weights</source>
      <translation>Gewichte werden geschrieben</translation>
    </message>
    <message>
      <source>written by the graph</source>
      <translation>vom Graphen geschrieben</translation>
    </message>
    <message>
      <source>written by the host</source>
      <translation>vom Host geschrieben</translation>
    </message>
    <message>
      <source>written once, then read</source>
      <translation>einmal geschrieben, dann gelesen</translation>
    </message>
    <message>
      <source>{0} (on the front)</source>
      <translation>{0} (auf der Front)</translation>
    </message>
    <message>
      <source>{0} (rank {1}, scale {2})</source>
      <translation>{0} (Rang {1}, Skala {2})</translation>
    </message>
    <message>
      <source>{0} (tokens come one at a time)</source>
      <translation>{0} (Tokens kommen einzeln)</translation>
    </message>
    <message>
      <source>{0} ({1} is too small to speak for other models)</source>
      <translation>{0} ({1} ist zu klein, um für andere Modelle zu sprechen)</translation>
    </message>
    <message>
      <source>{0} GroupQueryAttention takes on the CPU alone: build with --cache static.</source>
      <translation>{0} GroupQueryAttention nur auf der CPU nimmt: mit --cache static bauen.</translation>
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
      <source>{0} and a number</source>
      <translation>{0} und eine Zahl</translation>
    </message>
    <message>
      <source>{0} and the graph's other present outputs have different contents.</source>
      <translation>{0} und die anderen present-Ausgaben des Graphen haben verschiedene Inhalte.</translation>
    </message>
    <message>
      <source>{0} and {1} both claim {2} for {3}.</source>
      <translation>{0} und {1} beanspruchen beide {2} für {3}.</translation>
    </message>
    <message>
      <source>{0} and {1} name the same tensor, and keys and values need two</source>
      <translation>{0} und {1} nennen denselben Tensor, und Keys und Values brauchen zwei</translation>
    </message>
    <message>
      <source>{0} applies to beam search: set num_beams above 1, or leave it out</source>
      <translation>{0} gilt für die Beam-Suche: num_beams über 1 setzen oder es weglassen</translation>
    </message>
    <message>
      <source>{0} are one input, and must have the same type and rank</source>
      <translation>{0} sind ein Eingang und müssen gleichen Typ und Rang haben</translation>
    </message>
    <message>
      <source>{0} asks for the operators of {1} in version {2}, so no runtime takes it.</source>
      <translation>{0} verlangt die Operatoren von {1} in Version {2}, daher nimmt keine Laufzeitumgebung ihn an.</translation>
    </message>
    <message>
      <source>{0} begins at {1}, which is no multiple of {2}</source>
      <translation>{0} beginnt bei {1}, was kein Vielfaches von {2} ist</translation>
    </message>
    <message>
      <source>{0} belongs to {1}</source>
      <translation>{0} gehört zu {1}</translation>
    </message>
    <message>
      <source>{0} built-in English sentences</source>
      <translation>{0} eingebaute englische Sätze</translation>
    </message>
    <message>
      <source>{0} by the names of a causal LM: either it is not complete, or its text part is stored in another way, which Joinery does not know.</source>
      <translation>{0} nach den Namen eines kausalen LM: entweder ist es nicht vollständig, oder sein Textteil ist anders gespeichert, was Joinery nicht kennt.</translation>
    </message>
    <message>
      <source>{0} can run for each picture at init only</source>
      <translation>{0} kann nur bei init für jedes Bild laufen</translation>
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
      <source>{0} cannot be exported to genai: at metadata.names: {1}.</source>
      <translation>{0} kann nicht nach genai exportiert werden: bei metadata.names: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be exported to genai: at pipeline.dataflow: {1}.</source>
      <translation>{0} kann nicht nach genai exportiert werden: bei pipeline.dataflow: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be exported to genai: at {1}: {2}.</source>
      <translation>{0} kann nicht nach genai exportiert werden: bei {1}: {2}.</translation>
    </message>
    <message>
      <source>{0} cannot be read as JSON: {1}.</source>
      <translation>{0} kann nicht als JSON gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be read as TOML: {1}.</source>
      <translation>{0} lässt sich nicht als TOML lesen: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be read: remove it, and allow plugins anew.</source>
      <translation>{0} kann nicht gelesen werden: die Datei entfernen und Plug-ins neu erlauben.</translation>
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
      <source>{0} cannot be started ({1}): install the OpenSSH client.</source>
      <translation>{0} kann nicht gestartet werden ({1}): den OpenSSH-Client installieren.</translation>
    </message>
    <message>
      <source>{0} cannot be used: {1} {2}</source>
      <translation>{0} kann nicht verwendet werden: {1} {2}</translation>
    </message>
    <message>
      <source>{0} cannot be used: {1}; try `ssh {2}` by hand.</source>
      <translation>{0} ist nicht verwendbar: {1}; `ssh {2}` von Hand versuchen.</translation>
    </message>
    <message>
      <source>{0} cannot be written as {1}: end it in {2}.</source>
      <translation>{0} kann nicht als {1} geschrieben werden: auf {2} enden lassen.</translation>
    </message>
    <message>
      <source>{0} cannot be {1}: </source>
      <translation>{0} kann nicht {1} sein: </translation>
    </message>
    <message>
      <source>{0} cannot expose {1}: alignment is of a model that transcribes, hidden_states of a decoder that reads text alone.</source>
      <translation>{0} kann {1} nicht ausgeben: alignment gibt es bei einem Modell, das transkribiert, hidden_states bei einem Decoder, der nur Text liest.</translation>
    </message>
    <message>
      <source>{0} cannot expose {1}: only a decoder that reads text alone can.</source>
      <translation>{0} kann {1} nicht ausgeben: das kann nur ein Decoder, der allein Text liest.</translation>
    </message>
    <message>
      <source>{0} cannot feed {1}</source>
      <translation>{0} kann {1} nicht speisen</translation>
    </message>
    <message>
      <source>{0} cannot name a graph: use letters, digits, - and _.</source>
      <translation>{0} kann kein Name eines Graphen sein: Buchstaben, Ziffern, - und _ verwenden.</translation>
    </message>
    <message>
      <source>{0} cannot run this bundle's gqa cache: {1}; build with the target {2}, or use the cpu provider.</source>
      <translation>{0} kann den gqa-Cache dieses Bundles nicht ausführen: {1}; mit dem Ziel {2} bauen oder den CPU-Provider verwenden.</translation>
    </message>
    <message>
      <source>{0} changed while it was copied: try again.</source>
      <translation>{0} änderte sich während des Kopierens: noch einmal versuchen.</translation>
    </message>
    <message>
      <source>{0} changes the dtype of the cache, which {1} share: choose {2} for all of them or for none.</source>
      <translation>{0} ändert den dtype des Caches, den {1} teilen: {2} für alle oder für keines wählen.</translation>
    </message>
    <message>
      <source>{0} computes in float32.</source>
      <translation>{0} rechnet in float32.</translation>
    </message>
    <message>
      <source>{0} computes the cross-attention keys and values of {1} once: it was a part of {2}.</source>
      <translation>{0} berechnet die Keys und Values der Cross-Attention von {1} einmal: es war ein Teil von {2}.</translation>
    </message>
    <message>
      <source>{0} contains a name that is not UTF-8, so it is damaged: download or export it again.</source>
      <translation>{0} enthält einen Namen, der nicht UTF-8 ist, ist also beschädigt: erneut herunterladen oder exportieren.</translation>
    </message>
    <message>
      <source>{0} contains a name that is not valid UTF-8, so it is damaged: get it again.</source>
      <translation>{0} enthält einen Namen, der kein gültiges UTF-8 ist, ist also beschädigt: die Datei erneut holen.</translation>
    </message>
    <message>
      <source>{0} contains strings, which have no statistics.</source>
      <translation>{0} enthält Zeichenketten, die keine Statistik haben.</translation>
    </message>
    <message>
      <source>{0} declares no operator set, so it may be cut short.</source>
      <translation>{0} nennt keine Operatormenge, ist also vielleicht abgeschnitten.</translation>
    </message>
    <message>
      <source>{0} declares no version of the format, so it may be cut short.</source>
      <translation>{0} nennt keine Version des Formats, ist also vielleicht abgeschnitten.</translation>
    </message>
    <message>
      <source>{0} did not answer in time at {1}: check that it runs, and the network.</source>
      <translation>{0} antwortete an {1} nicht rechtzeitig: prüfen, ob der Rechner läuft, und das Netzwerk.</translation>
    </message>
    <message>
      <source>{0} does not compile {1}: {2}</source>
      <translation>{0} übersetzt {1} nicht: {2}</translation>
    </message>
    <message>
      <source>{0} does not end in .svg, and the picture is an SVG: give it that ending.</source>
      <translation>{0} endet nicht auf .svg, und das Bild ist ein SVG: ihm diese Endung geben.</translation>
    </message>
    <message>
      <source>{0} does not fit the run's other inputs: its columns would be {1}</source>
      <translation>{0} passt nicht zu den anderen Eingängen des Laufs: seine Spalten wären {1}</translation>
    </message>
    <message>
      <source>{0} does not respond like the hub; check HF_ENDPOINT and the connection.</source>
      <translation>{0} antwortet nicht wie der Hub; HF_ENDPOINT und die Verbindung prüfen.</translation>
    </message>
    <message>
      <source>{0} does not run on inputs made from its signature ({1}): {2}</source>
      <translation>{0} läuft nicht mit Eingaben, die aus seiner Signatur gemacht sind ({1}): {2}</translation>
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
      <source>{0} drafts, so no stage of the flow may run it</source>
      <translation>{0} macht Entwürfe, also darf keine Stufe von flow es ausführen</translation>
    </message>
    <message>
      <source>{0} exceeds the size limit of a graph archive: build the bundle again.</source>
      <translation>{0} übersteigt die Größengrenze eines Graph-Archivs: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} exists and is not a folder: choose another --out.</source>
      <translation>{0} existiert und ist kein Ordner: ein anderes --out wählen.</translation>
    </message>
    <message>
      <source>{0} exists in Python alone, and running needs no transformers</source>
      <translation>{0} gibt es nur in Python, und das Ausführen braucht kein transformers</translation>
    </message>
    <message>
      <source>{0} exists, and Joinery did not write it: choose another name, or remove the file.</source>
      <translation>{0} gibt es, und Joinery hat es nicht geschrieben: einen anderen Namen wählen oder die Datei entfernen.</translation>
    </message>
    <message>
      <source>{0} feeds inputs of two names, and genai connects its stages by equal names</source>
      <translation>{0} speist Eingänge zweier Namen, und genai verbindet seine Stufen über gleiche Namen</translation>
    </message>
    <message>
      <source>{0} feeds itself</source>
      <translation>{0} speist sich selbst</translation>
    </message>
    <message>
      <source>{0} finds no device that it can use on this machine.</source>
      <translation>{0} findet auf diesem Rechner kein Gerät, das es verwenden kann.</translation>
    </message>
    <message>
      <source>{0} follows a choice that does not exist</source>
      <translation>{0} folgt auf eine Wahl, die es nicht gibt</translation>
    </message>
    <message>
      <source>{0} follows one text, and beams are several: use one beam.</source>
      <translation>{0} folgt einem Text, und Beams sind mehrere: einen Beam verwenden.</translation>
    </message>
    <message>
      <source>{0} gives features that are off by {1} of the CPU provider's {2}.</source>
      <translation>{0} ergibt Merkmale, die um {1} von {2} des CPU-Providers abweichen.</translation>
    </message>
    <message>
      <source>{0} gives no logits of one token alone, which its score is made of.</source>
      <translation>{0} gibt keine Logits eines einzelnen Tokens, aus denen seine Bewertung gemacht wird.</translation>
    </message>
    <message>
      <source>{0} gives {1} already</source>
      <translation>{0} gibt {1} schon</translation>
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
      <source>{0} has Joinery {1}, and this machine {2} (wire {3}): install the same version on both.</source>
      <translation>{0} hat Joinery {1} und dieser Rechner {2} (wire {3}): auf beiden dieselbe Version installieren.</translation>
    </message>
    <message>
      <source>{0} has Joinery, but its providers cannot be listed: {1}</source>
      <translation>{0} hat Joinery, aber seine Provider lassen sich nicht auflisten: {1}</translation>
    </message>
    <message>
      <source>{0} has a NUL character, which no text has: take it out.</source>
      <translation>{0} hat ein NUL-Zeichen, das kein Text hat: es entfernen.</translation>
    </message>
    <message>
      <source>{0} has a chat template that leaves out the turns query or document, so it scores no pair: build it from a checkpoint with the template of a reranker.</source>
      <translation>{0} hat eine Chat-Vorlage, die die Rollen query oder document auslässt, bewertet also kein Paar: aus einem Checkpoint mit der Vorlage eines Rerankers bauen.</translation>
    </message>
    <message>
      <source>{0} has a different {1}, and all sessions share one</source>
      <translation>{0} hat {1} anders, und alle Sessions teilen eines</translation>
    </message>
    <message>
      <source>{0} has a head of its own kind, which Joinery does not know: it builds decoders whose labels come from the last token.</source>
      <translation>{0} hat einen Kopf eigener Art, den Joinery nicht kennt: es baut Decoder, deren Labels vom letzten Token kommen.</translation>
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
      <source>{0} has a shape or offsets that are not counts</source>
      <translation>{0} hat eine Form oder Offsets, die keine Anzahlen sind</translation>
    </message>
    <message>
      <source>{0} has an axis of unknown size: export it with a named axis.</source>
      <translation>{0} hat eine Achse unbekannter Größe: mit benannter Achse exportieren.</translation>
    </message>
    <message>
      <source>{0} has an entry {1} that is not a JSON object: describe one tool in each.</source>
      <translation>{0} hat einen Eintrag {1}, der kein JSON-Objekt ist: in jedem ein Werkzeug beschreiben.</translation>
    </message>
    <message>
      <source>{0} has another Joinery: install the same version on both.</source>
      <translation>{0} hat ein anderes Joinery: auf beiden dieselbe Version installieren.</translation>
    </message>
    <message>
      <source>{0} has another name elsewhere, a hard link: what is written to that file changes the weights of {1}.</source>
      <translation>{0} hat anderswo einen zweiten Namen, einen Hardlink: Was in jene Datei geschrieben wird, ändert die Gewichte von {1}.</translation>
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
      <source>{0} has its own attention code in transformers, which does not use the attention interface, so no KV cache can be fitted to it.</source>
      <translation>{0} hat in transformers eigenen Attention-Code, der nicht die Attention-Schnittstelle verwendet, also lässt sich ihm kein KV-Cache anpassen.</translation>
    </message>
    <message>
      <source>{0} has kernels for {1} of version {2}, and the graph's is of {3}.</source>
      <translation>{0} hat Kernel für {1} der Version {2}, und die des Graphen ist {3}.</translation>
    </message>
    <message>
      <source>{0} has more than 8 bits per pixel, and what is brighter than 255 becomes white: convert it first.</source>
      <translation>{0} hat mehr als 8 Bit je Pixel, und was heller als 255 ist, wird weiß: es zuerst umwandeln.</translation>
    </message>
    <message>
      <source>{0} has more than {1} bytes, which no configuration needs: get it again.</source>
      <translation>{0} hat mehr als {1} Bytes, die keine Konfiguration braucht: neu beschaffen.</translation>
    </message>
    <message>
      <source>{0} has more than {1} bytes, which no pipeline needs: restore the file.</source>
      <translation>{0} hat mehr als {1} Bytes, die keine Pipeline braucht: die Datei wiederherstellen.</translation>
    </message>
    <message>
      <source>{0} has no KV cache, and genai runs only models that generate text.</source>
      <translation>{0} hat keinen KV-Cache, und genai führt nur Modelle aus, die Text erzeugen.</translation>
    </message>
    <message>
      <source>{0} has no column {1}: its columns are {2}.</source>
      <translation>{0} hat keine Spalte {1}: seine Spalten sind {2}.</translation>
    </message>
    <message>
      <source>{0} has no component {1}: it has {2}.</source>
      <translation>{0} hat keine Komponente {1}: es hat {2}.</translation>
    </message>
    <message>
      <source>{0} has no config.json, so it is not a checkpoint; give the folder that holds it.</source>
      <translation>{0} hat keine config.json, ist also kein Checkpoint; den Ordner angeben, der sie enthält.</translation>
    </message>
    <message>
      <source>{0} has no genai_config.json: give a folder of onnxruntime-genai's.</source>
      <translation>{0} hat keine genai_config.json: einen Ordner von onnxruntime-genai angeben.</translation>
    </message>
    <message>
      <source>{0} has no graph with an output, so there is nothing to run: download or export it again.</source>
      <translation>{0} hat keinen Graphen mit einer Ausgabe, es gibt also nichts auszuführen: erneut herunterladen oder exportieren.</translation>
    </message>
    <message>
      <source>{0} has no initializer {1}.</source>
      <translation>{0} hat keinen Initializer {1}.</translation>
    </message>
    <message>
      <source>{0} has no kernel for {1} in the number format of {2} in {3}: run the bundle on another provider, or build it with another precision.</source>
      <translation>{0} hat keinen Kernel für {1} im Zahlenformat von {2} in {3}: das Bundle auf einem anderen Provider ausführen oder mit anderer Genauigkeit bauen.</translation>
    </message>
    <message>
      <source>{0} has no kernel for {1}.</source>
      <translation>{0} hat keinen Kernel für {1}.</translation>
    </message>
    <message>
      <source>{0} has no pipeline.state.kv_cache: this bundle is a {1} model for {2} without a KV cache, so it generates no text: run it with workflows.runtime.run_single, or look at it with `joinery inspect`.</source>
      <translation>{0} hat kein pipeline.state.kv_cache: dieses Bundle ist ein Modell {1} für {2} ohne KV-Cache, also erzeugt es keinen Text: es mit workflows.runtime.run_single ausführen oder mit `joinery inspect` ansehen.</translation>
    </message>
    <message>
      <source>{0} has no place in the file: {1}.</source>
      <translation>{0} hat keinen Platz in der Datei: {1}.</translation>
    </message>
    <message>
      <source>{0} has no place on the wire</source>
      <translation>{0} hat auf der Leitung keinen Platz</translation>
    </message>
    <message>
      <source>{0} has no products with large weights: give a decoder, or nothing for common sizes.</source>
      <translation>{0} hat keine Produkte mit großen Gewichten: einen Decoder angeben, oder nichts für übliche Größen.</translation>
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
      <source>{0} has no scope {1}.</source>
      <translation>{0} hat keinen Bereich {1}.</translation>
    </message>
    <message>
      <source>{0} has no stage {1}: it has {2}.</source>
      <translation>{0} hat keine Stufe {1}: es hat {2}.</translation>
    </message>
    <message>
      <source>{0} has no stage {1}: {2}.</source>
      <translation>{0} hat keine Stufe {1}: {2}.</translation>
    </message>
    <message>
      <source>{0} has no text under {1}: write it between quotation marks.</source>
      <translation>{0} hat keinen Text unter {1}: ihn in Anführungszeichen schreiben.</translation>
    </message>
    <message>
      <source>{0} has no token beside special ones ({1}): give a text.</source>
      <translation>{0} hat kein Token außer besonderen ({1}): einen Text angeben.</translation>
    </message>
    <message>
      <source>{0} has no weight named {1}, so its text part was not recognized.</source>
      <translation>{0} hat kein Gewicht namens {1}, also wurde sein Textteil nicht erkannt.</translation>
    </message>
    <message>
      <source>{0} has no {1}</source>
      <translation>{0} hat kein {1}</translation>
    </message>
    <message>
      <source>{0} has no {1} in its manifest: build the bundle anew.</source>
      <translation>{0} hat kein {1} im Manifest: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} has no {1} {2}; its {3} are {4}</source>
      <translation>{0} hat kein {1} {2}; seine {3} sind {4}</translation>
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
      <source>{0} has other files in it and no sweep: give a new folder.</source>
      <translation>In {0} sind andere Dateien und kein Sweep: einen neuen Ordner angeben.</translation>
    </message>
    <message>
      <source>{0} has rows of {1} numbers, no whole blocks of {2} as {3} has</source>
      <translation>{0} hat Zeilen von {1} Zahlen, keine ganzen Blöcke von {2}, wie {3} sie hat</translation>
    </message>
    <message>
      <source>{0} has the axis {1}, whose size nothing here decides.</source>
      <translation>{0} hat die Achse {1}, deren Größe hier nichts bestimmt.</translation>
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
      <source>{0} has the shape {1}</source>
      <translation>{0} hat die Form {1}</translation>
    </message>
    <message>
      <source>{0} has the shape {1} and the graph takes [{2}].</source>
      <translation>{0} hat die Form {1}, und der Graph nimmt [{2}].</translation>
    </message>
    <message>
      <source>{0} has the type {1}, which Joinery cannot bind.</source>
      <translation>{0} hat den Typ {1}, den Joinery nicht binden kann.</translation>
    </message>
    <message>
      <source>{0} has the unknown dtype '{1}'</source>
      <translation>{0} hat den unbekannten dtype „{1}“</translation>
    </message>
    <message>
      <source>{0} has the {1} {2} twice: no runtime loads it.</source>
      <translation>{0} hat {1} {2} doppelt: Keine Laufzeitumgebung lädt ihn.</translation>
    </message>
    <message>
      <source>{0} has tiles of {1} tokens, which are no square: correct vision_feature_select_strategy or the number of tokens.</source>
      <translation>{0} hat Kacheln von {1} Tokens, was kein Quadrat ist: vision_feature_select_strategy oder die Zahl der Tokens berichtigen.</translation>
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
      <source>{0} has {1} = {2} in its {3}, which is not merged: merge it with peft (merge_and_unload, then save_pretrained), and open the result.</source>
      <translation>{0} hat {1} = {2} in seiner {3}, was nicht verschmolzen wird: mit peft verschmelzen (merge_and_unload, dann save_pretrained) und das Ergebnis öffnen.</translation>
    </message>
    <message>
      <source>{0} has {1} = {2}, and {3}: {4}.</source>
      <translation>{0} hat {1} = {2}, und {3}: {4}.</translation>
    </message>
    <message>
      <source>{0} has {1} axes and the scatter cache has 3</source>
      <translation>{0} hat {1} Achsen, und der Cache scatter hat 3</translation>
    </message>
    <message>
      <source>{0} has {1} axes, and Gemm takes 2</source>
      <translation>{0} hat {1} Achsen, und Gemm nimmt 2</translation>
    </message>
    <message>
      <source>{0} has {1} bytes and the initializer {2} ends at {3}: it is cut short.</source>
      <translation>{0} hat {1} Bytes, und der Initializer {2} endet bei {3}: Die Datei ist abgeschnitten.</translation>
    </message>
    <message>
      <source>{0} has {1} bytes and the initializer {2} of {3} ends at {4}: the file is truncated, so get it again.</source>
      <translation>{0} hat {1} Bytes, und der Initializer {2} von {3} endet bei {4}: die Datei ist abgeschnitten, also erneut holen.</translation>
    </message>
    <message>
      <source>{0} has {1} bytes where its shape needs {2}</source>
      <translation>{0} hat {1} Bytes, wo seine Form {2} braucht</translation>
    </message>
    <message>
      <source>{0} has {1} in the axis {2} and {3} has {4}: make them equal.</source>
      <translation>{0} hat {1} in der Achse {2}, und {3} hat {4}: sie gleich machen.</translation>
    </message>
    <message>
      <source>{0} has {1} nodes; Netron draws up to {2}: choose a scope.</source>
      <translation>{0} hat {1} Knoten; Netron zeichnet bis zu {2}: einen Bereich wählen.</translation>
    </message>
    <message>
      <source>{0} has {1} slots, and genai's cache grows: build with graphs=single</source>
      <translation>{0} hat {1} Slots, und der Cache von genai wächst: mit graphs=single bauen</translation>
    </message>
    <message>
      <source>{0} has {1} slots, which are neither the {2} of past, nor the {3} of the step, nor both together.</source>
      <translation>{0} hat {1} Slots, was weder die {2} von past noch die {3} des Schritts noch beide zusammen sind.</translation>
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
      <source>{0} has {1}'s own form ('{2}', '{3}'): build the model in transformers' form, with config.json, by its name on the hub, {4}.</source>
      <translation>{0} hat die eigene Form von {1} („{2}“, „{3}“): das Modell in der Form von transformers, mit config.json, unter seinem Namen auf dem Hub bauen, {4}.</translation>
    </message>
    <message>
      <source>{0} holds +inf, which no mask does</source>
      <translation>{0} enthält +inf, was keine Maske tut</translation>
    </message>
    <message>
      <source>{0} holds a bundle and {1}, which its manifest does not list: choose another --out, or move that file away.</source>
      <translation>{0} enthält ein Bundle und {1}, das sein Manifest nicht führt: ein anderes --out wählen oder diese Datei verschieben.</translation>
    </message>
    <message>
      <source>{0} holds a {1} that is not a bundle's, or is damaged: choose another --out, or empty it yourself.</source>
      <translation>{0} enthält {1}, das nicht von einem Bundle stammt oder beschädigt ist: ein anderes --out wählen oder den Ordner selbst leeren.</translation>
    </message>
    <message>
      <source>{0} holds files and is not a bundle: choose another --out, or empty it yourself.</source>
      <translation>{0} enthält Dateien und ist kein Bundle: ein anderes --out wählen oder den Ordner selbst leeren.</translation>
    </message>
    <message>
      <source>{0} holds graphs of its own, whose types would not follow</source>
      <translation>{0} enthält eigene Graphen, deren Typen nicht folgen würden</translation>
    </message>
    <message>
      <source>{0} holds graphs of onnxruntime-genai, which are built already: `joinery import {1} --out DIR` makes a bundle of them.</source>
      <translation>{0} enthält Graphen von onnxruntime-genai, die schon gebaut sind: `joinery import {1} --out DIR` macht daraus ein Bundle.</translation>
    </message>
    <message>
      <source>{0} holds neither tokenizer.json nor config.json: give the folder that does.</source>
      <translation>{0} enthält weder tokenizer.json noch config.json: den Ordner angeben, der sie enthält.</translation>
    </message>
    <message>
      <source>{0} holds no sound: its length is zero.</source>
      <translation>{0} enthält keinen Ton: die Länge ist null.</translation>
    </message>
    <message>
      <source>{0} holds no tunings ({1}): remove it, and run joinery tune.</source>
      <translation>{0} enthält keine Abstimmungen ({1}): die Datei entfernen und joinery tune ausführen.</translation>
    </message>
    <message>
      <source>{0} holds one array without a name: save it with numpy.savez.</source>
      <translation>{0} enthält ein Array ohne Namen: es mit numpy.savez speichern.</translation>
    </message>
    <message>
      <source>{0} holds other elements than its shape says ({1}).</source>
      <translation>{0} enthält andere Elemente, als seine Form sagt ({1}).</translation>
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
      <source>{0} holds {1} elements where its shape says {2}: get the model anew.</source>
      <translation>{0} enthält {1} Elemente, wo seine Form {2} sagt: das Modell neu beschaffen.</translation>
    </message>
    <message>
      <source>{0} holds {1} models in GGUF ({2}): give the file of one of them.</source>
      <translation>{0} enthält {1} Modelle in GGUF ({2}): die Datei von einem angeben.</translation>
    </message>
    <message>
      <source>{0} holds {1}, of which no statistics are made.</source>
      <translation>{0} enthält {1}, wovon keine Statistik gemacht wird.</translation>
    </message>
    <message>
      <source>{0} holds −inf that {1} compares with</source>
      <translation>{0} enthält −inf, womit {1} vergleicht</translation>
    </message>
    <message>
      <source>{0} in {1} as {2} ({3} for {4})</source>
      <translation>{0} in {1} als {2} ({3} für {4})</translation>
    </message>
    <message>
      <source>{0} in {1} has {2} bytes instead of {3}: restore the file or build the bundle anew.</source>
      <translation>{0} in {1} hat {2} Bytes statt {3}: die Datei wiederherstellen oder das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} has {2} numbers, and the pipeline file states a layer of {3} to {4}: build the bundle anew.</source>
      <translation>{0} in {1} hat {2} Zahlen, und die Pipeline-Datei gibt eine Schicht von {3} auf {4} an: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not JSON: build the bundle again.</source>
      <translation>{0} in {1} ist kein JSON: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not UTF-8 text: build the bundle anew.</source>
      <translation>{0} in {1} ist kein UTF-8-Text: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not a JSON list: build the bundle anew.</source>
      <translation>{0} in {1} ist keine JSON-Liste: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not what a build writes: build the bundle again.</source>
      <translation>{0} in {1} ist nicht, was ein Bau schreibt: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} in {1} is not {2} bytes long: {3}</source>
      <translation>{0} in {1} ist nicht {2} Bytes lang: {3}</translation>
    </message>
    <message>
      <source>{0} inputs, and not {1}</source>
      <translation>{0} Eingänge, und nicht {1}</translation>
    </message>
    <message>
      <source>{0} is [{1}], and {2} was given.</source>
      <translation>{0} ist [{1}], und {2} wurde angegeben.</translation>
    </message>
    <message>
      <source>{0} is a bundle, into which no adapter can be merged: leave --adapter out.</source>
      <translation>{0} ist ein Bundle, mit dem kein Adapter verschmolzen werden kann: --adapter weglassen.</translation>
    </message>
    <message>
      <source>{0} is a bundle, whose graphs are already built and possibly quantized: run it with `joinery generate {1}`, or build again from its original checkpoint.</source>
      <translation>{0} ist ein Bundle, dessen Graphen schon gebaut und vielleicht quantisiert sind: es mit `joinery generate {1}` ausführen oder aus seinem ursprünglichen Checkpoint neu bauen.</translation>
    </message>
    <message>
      <source>{0} is a composite of the route {1} ({2}), not one graph without a cache: run it with workflows.generate.open_engine.</source>
      <translation>{0} ist ein zusammengesetztes Modell mit der Route {1} ({2}), nicht ein Graph ohne Cache: mit workflows.generate.open_engine ausführen.</translation>
    </message>
    <message>
      <source>{0} is a configuration entry, whose value must be a string</source>
      <translation>{0} ist ein Konfigurationseintrag, dessen Wert eine Zeichenkette sein muss</translation>
    </message>
    <message>
      <source>{0} is a cycle</source>
      <translation>{0} ist ein Kreis</translation>
    </message>
    <message>
      <source>{0} is a file: give the folder of the sweep's results.</source>
      <translation>{0} ist eine Datei: den Ordner für die Ergebnisse des Sweeps angeben.</translation>
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
      <source>{0} is a recording of another bundle than {1}.</source>
      <translation>{0} ist eine Aufzeichnung eines anderen Bundles als {1}.</translation>
    </message>
    <message>
      <source>{0} is a single graph for {1}, which no route of the server is for: leave it out.</source>
      <translation>{0} ist ein einzelner Graph für {1}, wofür der Server keinen Weg hat: weglassen.</translation>
    </message>
    <message>
      <source>{0} is a symbolic link, and such a file is not opened: copy it there.</source>
      <translation>{0} ist ein symbolischer Link, und eine solche Datei wird nicht geöffnet: dorthin kopieren.</translation>
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
      <source>{0} is being changed by {1}: try again.</source>
      <translation>{0} wird gerade von {1} geändert: noch einmal versuchen.</translation>
    </message>
    <message>
      <source>{0} is calibrated with generated text, and a model without a KV cache generates none: choose {1}.</source>
      <translation>{0} wird mit erzeugtem Text kalibriert, und ein Modell ohne KV-Cache erzeugt keinen: {1} wählen.</translation>
    </message>
    <message>
      <source>{0} is compiled for one provider, and {1} is another: open the graph that it was made of.</source>
      <translation>{0} ist für einen Provider kompiliert, und {1} ist ein anderer: den Graphen öffnen, aus dem es gemacht wurde.</translation>
    </message>
    <message>
      <source>{0} is cut off: its end is missing, so copy or download it again.</source>
      <translation>{0} ist abgeschnitten: das Ende fehlt, also erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>{0} is cut off: {1} of its {2} seconds are there, so copy or download it again.</source>
      <translation>{0} ist abgeschnitten: {1} von {2} Sekunden sind da, also erneut kopieren oder herunterladen.</translation>
    </message>
    <message>
      <source>{0} is cut short: {1} ends beyond its last byte.</source>
      <translation>{0} ist abgeschnitten: {1} endet hinter dem letzten Byte.</translation>
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
      <source>{0} is damaged: choose the limit anew with `joinery cache limit`.</source>
      <translation>{0} ist beschädigt: die Grenze mit `joinery cache limit` neu wählen.</translation>
    </message>
    <message>
      <source>{0} is damaged: remove it, and add the machines again.</source>
      <translation>{0} ist beschädigt: die Datei entfernen und die Rechner neu hinzufügen.</translation>
    </message>
    <message>
      <source>{0} is empty: give a picture file ({1}).</source>
      <translation>{0} ist leer: eine Bilddatei angeben ({1}).</translation>
    </message>
    <message>
      <source>{0} is empty: give a row a line, as {"question": …, "answer": …}.</source>
      <translation>{0} ist leer: je Zeile einen Eintrag angeben, etwa {"question": …, "answer": …}.</translation>
    </message>
    <message>
      <source>{0} is empty: give a sound file ({1}).</source>
      <translation>{0} ist leer: eine Tondatei angeben ({1}).</translation>
    </message>
    <message>
      <source>{0} is empty: give a text.</source>
      <translation>{0} ist leer: einen Text angeben.</translation>
    </message>
    <message>
      <source>{0} is evaluated without its adapters, so none can be merged into the reference: leave --adapter out, or build with the adapter merged.</source>
      <translation>{0} wird ohne seine Adapter bewertet, also kann keiner mit der Referenz verschmolzen werden: --adapter weglassen oder mit verschmolzenem Adapter bauen.</translation>
    </message>
    <message>
      <source>{0} is fed by the cache already</source>
      <translation>{0} wird schon vom Cache gespeist</translation>
    </message>
    <message>
      <source>{0} is fed by {1} already</source>
      <translation>{0} wird schon von {1} gespeist</translation>
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
      <source>{0} is for providers that may lack GroupQueryAttention</source>
      <translation>{0} ist für Provider, denen GroupQueryAttention fehlen kann</translation>
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
      <source>{0} is larger than 2 GB, the limit of an .onnx file: download or export it again.</source>
      <translation>{0} ist größer als 2 GB, die Grenze einer .onnx-Datei: erneut herunterladen oder exportieren.</translation>
    </message>
    <message>
      <source>{0} is larger than any vocabulary</source>
      <translation>{0} ist größer als jedes Vokabular</translation>
    </message>
    <message>
      <source>{0} is missing beside it</source>
      <translation>{0} fehlt daneben</translation>
    </message>
    <message>
      <source>{0} is missing or a link: see `joinery verify`, and build the bundle anew.</source>
      <translation>{0} fehlt oder ist ein Verweis: siehe `joinery verify`, und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} is missing: the model reads it with the prompt.</source>
      <translation>{0} fehlt: das Modell liest es mit der Eingabe.</translation>
    </message>
    <message>
      <source>{0} is named like a cache tensor, but {1} is not a layer number.</source>
      <translation>{0} heißt wie ein Cache-Tensor, aber {1} ist keine Nummer einer Schicht.</translation>
    </message>
    <message>
      <source>{0} is neither a bundle folder nor an .onnx file: check the path.</source>
      <translation>{0} ist weder ein Bundle-Ordner noch eine .onnx-Datei: den Pfad prüfen.</translation>
    </message>
    <message>
      <source>{0} is no .npz file of numbers ({1}): save the inputs with numpy.savez.</source>
      <translation>{0} ist keine .npz-Datei mit Zahlen ({1}): die Eingaben mit numpy.savez speichern.</translation>
    </message>
    <message>
      <source>{0} is no SHA-256.</source>
      <translation>{0} ist kein SHA-256.</translation>
    </message>
    <message>
      <source>{0} is no adapter of peft: give a folder with '{1}' and '{2}' (or .bin).</source>
      <translation>{0} ist kein Adapter von peft: einen Ordner mit „{1}“ und „{2}“ (oder .bin) angeben.</translation>
    </message>
    <message>
      <source>{0} is no address of a machine: write ssh://user@host or ssh://user@host:port, without a password or a path.</source>
      <translation>{0} ist keine Adresse eines Rechners: ssh://user@host oder ssh://user@host:port schreiben, ohne Passwort und Pfad.</translation>
    </message>
    <message>
      <source>{0} is no bundle: an fp32 one is built of it, and removed afterwards.</source>
      <translation>{0} ist kein Bundle: daraus wird eines in fp32 gebaut und danach entfernt.</translation>
    </message>
    <message>
      <source>{0} is no extra head: it belongs to {1}</source>
      <translation>{0} ist kein zusätzlicher Kopf: es gehört zu {1}</translation>
    </message>
    <message>
      <source>{0} is no folder of a sweep: {1} {2}.</source>
      <translation>{0} ist kein Ordner eines Sweeps: {1} {2}.</translation>
    </message>
    <message>
      <source>{0} is no parquet file: give one, or JSON lines.</source>
      <translation>{0} ist keine Parquet-Datei: eine solche oder JSON-Zeilen angeben.</translation>
    </message>
    <message>
      <source>{0} is no recording of a run: write one by `joinery diverge … --record`.</source>
      <translation>{0} ist keine Aufzeichnung eines Laufs: eine mit `joinery diverge … --record` schreiben.</translation>
    </message>
    <message>
      <source>{0} is no regular expression: {1}.</source>
      <translation>{0} ist kein regulärer Ausdruck: {1}.</translation>
    </message>
    <message>
      <source>{0} is no tensor but {1}: {2}.</source>
      <translation>{0} ist kein Tensor, sondern {1}: {2}.</translation>
    </message>
    <message>
      <source>{0} is no text</source>
      <translation>{0} ist kein Text</translation>
    </message>
    <message>
      <source>{0} is no vector of the sum's last axis and type</source>
      <translation>{0} ist kein Vektor der letzten Achse und des Typs der Summe</translation>
    </message>
    <message>
      <source>{0} is not a JSON object: get the folder again.</source>
      <translation>{0} ist kein JSON-Objekt: den Ordner neu beschaffen.</translation>
    </message>
    <message>
      <source>{0} is not a bundle: it has no {1}. Build one with `joinery build`.</source>
      <translation>{0} ist kein Bundle: es hat kein {1}. Mit `joinery build` eines bauen.</translation>
    </message>
    <message>
      <source>{0} is not a pipeline that Joinery can run: {1}.</source>
      <translation>{0} ist keine Pipeline, die Joinery ausführen kann: {1}.</translation>
    </message>
    <message>
      <source>{0} is not a prompt cache of Joinery.</source>
      <translation>{0} ist kein Prompt-Cache von Joinery.</translation>
    </message>
    <message>
      <source>{0} is not a session: there are {1}</source>
      <translation>{0} ist keine Session: es gibt {1}</translation>
    </message>
    <message>
      <source>{0} is not a sound file that can be read: give a file of the kind {1}.</source>
      <translation>{0} ist keine lesbare Tondatei: eine Datei der Art {1} angeben.</translation>
    </message>
    <message>
      <source>{0} is not a valid file name for a graph, or already exists: choose another.</source>
      <translation>{0} ist kein gültiger Dateiname für einen Graphen oder besteht schon: einen anderen wählen.</translation>
    </message>
    <message>
      <source>{0} is not a valid record of compiled contexts: {1}</source>
      <translation>{0} ist kein gültiges Verzeichnis kompilierter Kontexte: {1}</translation>
    </message>
    <message>
      <source>{0} is not an ONNX file, or is incomplete: download or export it again.</source>
      <translation>{0} ist keine ONNX-Datei oder unvollständig: neu laden oder exportieren.</translation>
    </message>
    <message>
      <source>{0} is not described by dtype, shape and data_offsets</source>
      <translation>{0} ist nicht durch dtype, shape und data_offsets beschrieben</translation>
    </message>
    <message>
      <source>{0} is not empty: choose another --out, or empty it yourself.</source>
      <translation>{0} ist nicht leer: ein anderes --out wählen oder den Ordner selbst leeren.</translation>
    </message>
    <message>
      <source>{0} is not part of the installed onnxruntime {1}.</source>
      <translation>{0} gehört nicht zum installierten onnxruntime {1}.</translation>
    </message>
    <message>
      <source>{0} is not stored row by row (sparse, quantized or a view), which is not read: save the model with save_pretrained and open the result.</source>
      <translation>{0} ist nicht Zeile für Zeile gespeichert (dünn besetzt, quantisiert oder eine Sicht), was nicht gelesen wird: das Modell mit save_pretrained speichern und das Ergebnis öffnen.</translation>
    </message>
    <message>
      <source>{0} is not the whole buffer</source>
      <translation>{0} ist nicht der ganze Puffer</translation>
    </message>
    <message>
      <source>{0} is not valid Unicode text: give it as UTF-8.</source>
      <translation>{0} ist kein gültiger Unicode-Text: ihn als UTF-8 angeben.</translation>
    </message>
    <message>
      <source>{0} is not what the manifest says: see `joinery verify`, and build the bundle anew.</source>
      <translation>{0} ist nicht, was das Manifest sagt: siehe `joinery verify`, und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} is of a newer Joinery: update this one, or move the file away.</source>
      <translation>{0} stammt von einem neueren Joinery: dieses aktualisieren oder die Datei wegräumen.</translation>
    </message>
    <message>
      <source>{0} is of the kind {1} (peft_type), and LORA alone is merged: merge it with peft (merge_and_unload, then save_pretrained), and open the result.</source>
      <translation>{0} ist von der Art {1} (peft_type), und nur LORA wird verschmolzen: mit peft verschmelzen (merge_and_unload, dann save_pretrained) und das Ergebnis öffnen.</translation>
    </message>
    <message>
      <source>{0} is of the type {1}, of which no statistics are made.</source>
      <translation>{0} ist vom Typ {1}, wovon keine Statistik gemacht wird.</translation>
    </message>
    <message>
      <source>{0} is of the unknown type {1}</source>
      <translation>{0} ist vom unbekannten Typ {1}</translation>
    </message>
    <message>
      <source>{0} is of version {1}, and this Joinery reads up to {2}: update Joinery, or build the bundle with this one.</source>
      <translation>{0} ist von Version {1}, und dieses Joinery liest bis {2}: Joinery aktualisieren oder das Bundle mit diesem bauen.</translation>
    </message>
    <message>
      <source>{0} is on a disk without file locks, which keep two builds apart: choose an --out on another disk.</source>
      <translation>{0} ist auf einem Datenträger ohne Dateisperren, die zwei Builds auseinanderhalten: ein --out auf einem anderen Datenträger wählen.</translation>
    </message>
    <message>
      <source>{0} is on this machine and has no revisions; leave the revision out.</source>
      <translation>{0} ist auf diesem Rechner und hat keine Revisionen; die Revision weglassen.</translation>
    </message>
    <message>
      <source>{0} is one graph without a KV cache, which generates no tokens to compare: give a bundle that generates text.</source>
      <translation>{0} ist ein Graph ohne KV-Cache, der keine Tokens zum Vergleichen erzeugt: ein Bundle angeben, das Text erzeugt.</translation>
    </message>
    <message>
      <source>{0} is one graph without a KV cache, which reads no prompt token by token: give a bundle that generates text.</source>
      <translation>{0} ist ein Graph ohne KV-Cache, der keine Eingabe Token für Token liest: ein Bundle angeben, das Text erzeugt.</translation>
    </message>
    <message>
      <source>{0} is one graph: it has no components and no stages to choose from.</source>
      <translation>{0} ist ein einzelner Graph: er hat keine Komponenten und keine Stufen zur Wahl.</translation>
    </message>
    <message>
      <source>{0} is placed on the {1} provider.</source>
      <translation>{0} ist dem Provider {1} zugeteilt.</translation>
    </message>
    <message>
      <source>{0} is read in place: make a bundle of it with `joinery import`, and compile that.</source>
      <translation>{0} wird an seinem Ort gelesen: mit `joinery import` ein Bundle daraus machen und dieses kompilieren.</translation>
    </message>
    <message>
      <source>{0} is sparse: {1} of {2} elements are stored, and no statistics are made of them.</source>
      <translation>{0} ist dünn besetzt: {1} von {2} Elementen sind gespeichert, und davon wird keine Statistik gemacht.</translation>
    </message>
    <message>
      <source>{0} is the target and the draft, which must be two models</source>
      <translation>{0} ist Zielmodell und Entwurf, die zwei Modelle sein müssen</translation>
    </message>
    <message>
      <source>{0} is written in place, but the graph has no input write_indices: export it again.</source>
      <translation>{0} wird an seiner Stelle geschrieben, aber der Graph hat keinen Eingang write_indices: ihn erneut exportieren.</translation>
    </message>
    <message>
      <source>{0} is wrong in the recipe</source>
      <translation>{0} ist im Rezept falsch</translation>
    </message>
    <message>
      <source>{0} is wrong in the recipe: {1}.</source>
      <translation>{0} ist im Rezept falsch: {1}.</translation>
    </message>
    <message>
      <source>{0} is wrong: {1}.</source>
      <translation>{0} ist falsch: {1}.</translation>
    </message>
    <message>
      <source>{0} is {1} and no table of {2}</source>
      <translation>{0} ist {1} und keine Tabelle von {2}</translation>
    </message>
    <message>
      <source>{0} is {1} and the graph takes {2}: convert it first.</source>
      <translation>{0} ist {1}, und der Graph nimmt {2}: es zuerst umwandeln.</translation>
    </message>
    <message>
      <source>{0} is {1} bytes long</source>
      <translation>{0} ist {1} Bytes lang</translation>
    </message>
    <message>
      <source>{0} is {1} {2}, and should be [1, columns, vocabulary] of floating-point numbers: export the graph again.</source>
      <translation>{0} ist {1} {2} und sollte [1, columns, vocabulary] von Gleitkommazahlen sein: den Graphen erneut exportieren.</translation>
    </message>
    <message>
      <source>{0} is {1} {2}, which does not fit {3}.</source>
      <translation>{0} ist {1} {2}, was nicht zu {3} passt.</translation>
    </message>
    <message>
      <source>{0} is {1}, and {2} would be read or written there.</source>
      <translation>{0} ist {1}, und {2} würde dort gelesen oder geschrieben.</translation>
    </message>
    <message>
      <source>{0} is {1}, which {2} does not give</source>
      <translation>{0} ist {1}, was {2} nicht gibt</translation>
    </message>
    <message>
      <source>{0} is {1}: batch must be 1, and heads and head size fixed.</source>
      <translation>{0} ist {1}: der Batch muss 1 sein, und Köpfe und Kopfgröße fest.</translation>
    </message>
    <message>
      <source>{0} is {1}: batch must be 1, so export the graph again with that.</source>
      <translation>{0} ist {1}: der Batch muss 1 sein, also den Graphen so erneut exportieren.</translation>
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
      <source>{0} keep the same layers of the cache, and nothing says which of them read a prompt: call one prefill and the other decode, or say when each runs under pipeline.flow in --pipeline.</source>
      <translation>{0} behalten dieselben Schichten des Caches, und nichts sagt, welche davon eine Eingabe liest: eine prefill und die andere decode nennen oder unter pipeline.flow in --pipeline sagen, wann jede läuft.</translation>
    </message>
    <message>
      <source>{0} keeps weights in {1}, a symbolic link: such a file is not opened.</source>
      <translation>{0} hält Gewichte in {1}, einem symbolischen Link: Eine solche Datei wird nicht geöffnet.</translation>
    </message>
    <message>
      <source>{0} keeps weights in {1}, outside its own folder: such a file is not opened.</source>
      <translation>{0} hält Gewichte in {1}, außerhalb des eigenen Ordners: Eine solche Datei wird nicht geöffnet.</translation>
    </message>
    <message>
      <source>{0} keeps weights in {1}, {2} where a file should be: it is not opened.</source>
      <translation>{0} hält Gewichte in {1}, {2}, wo eine Datei sein sollte: Das wird nicht geöffnet.</translation>
    </message>
    <message>
      <source>{0} lacks the weight {1}{2}</source>
      <translation>In {0} fehlt das Gewicht {1}{2}</translation>
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
      <source>{0} lists no file {1}: {2}</source>
      <translation>{0} führt keine Datei {1} auf: {2}</translation>
    </message>
    <message>
      <source>{0} lora_magnitude_vector at {1}, and its use_dora is {2}: get it again.</source>
      <translation>{0} lora_magnitude_vector bei {1}, und sein use_dora ist {2}: ihn erneut holen.</translation>
    </message>
    <message>
      <source>{0} makes no compiled contexts: its graphs are opened as they are.</source>
      <translation>{0} erzeugt keine übersetzten Kontexte: seine Graphen werden geöffnet, wie sie sind.</translation>
    </message>
    <message>
      <source>{0} makes spectrograms of {1} x {2} and the encoder reads {3} x {4}: build the bundle again.</source>
      <translation>{0} macht Spektrogramme von {1} x {2}, und der Encoder liest {3} x {4}: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} masks the tokens of a source, and no source was given.</source>
      <translation>{0} maskiert die Tokens einer Quelle, und keine Quelle wurde angegeben.</translation>
    </message>
    <message>
      <source>{0} must be a JSON list of objects, each of which describes one tool.</source>
      <translation>{0} muss eine JSON-Liste von Objekten sein, von denen jedes ein Werkzeug beschreibt.</translation>
    </message>
    <message>
      <source>{0} must be a new file whose name ends in .gguf: choose another --out.</source>
      <translation>{0} muss eine neue Datei sein, deren Name auf .gguf endet: ein anderes --out wählen.</translation>
    </message>
    <message>
      <source>{0} must hold %d exactly once, for the layer, and no other %: {1}</source>
      <translation>{0} muss %d genau einmal enthalten, für die Schicht, und kein anderes %: {1}</translation>
    </message>
    <message>
      <source>{0} must run at init only, so that its outputs are computed once and kept</source>
      <translation>{0} darf nur bei init laufen, damit seine Ausgaben einmal berechnet und behalten werden</translation>
    </message>
    <message>
      <source>{0} names '{1}', which the hub does not have.</source>
      <translation>{0} nennt „{1}“, was der Hub nicht hat.</translation>
    </message>
    <message>
      <source>{0} names no decoder_start_token_id in generation_config.json or config.json, so its decoder cannot begin: add it.</source>
      <translation>{0} nennt keine decoder_start_token_id in generation_config.json oder config.json, also kann sein Decoder nicht beginnen: sie ergänzen.</translation>
    </message>
    <message>
      <source>{0} names no {1}_token_id in config.json, so its {2} have no place in a text: add it.</source>
      <translation>{0} nennt keine {1}_token_id in config.json, also haben seine {2} keinen Platz in einem Text: sie ergänzen.</translation>
    </message>
    <message>
      <source>{0} names the token {1}, and the model's ids go from 0 to {2}.</source>
      <translation>{0} nennt das Token {1}, und die IDs des Modells gehen von 0 bis {2}.</translation>
    </message>
    <message>
      <source>{0} names values only, and in the format combined the key patterns name both</source>
      <translation>{0} nennt nur Values, und im Format combined nennen die Muster der Keys beide</translation>
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
      <source>{0} needs a model without an encoder: leave it out.</source>
      <translation>{0} braucht ein Modell ohne Encoder: weglassen.</translation>
    </message>
    <message>
      <source>{0} needs drafts, and there are none: add ngram or a draft, or leave it out.</source>
      <translation>{0} braucht Entwürfe, und es gibt keine: ngram oder einen Entwurf hinzufügen oder weglassen.</translation>
    </message>
    <message>
      <source>{0} needs left-aligned slots, unlike a ring buffer's: build with --cache static.</source>
      <translation>{0} braucht linksbündige Slots, anders als die eines Ringpuffers: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>{0} needs opset {1}, not {2}</source>
      <translation>{0} braucht Opset {1}, nicht {2}</translation>
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
      <source>{0} needs {1} this program does not carry: install Joinery for Python by `python3 -m pip install 'joinery{2}'`, and do this with it.</source>
      <translation>{0} braucht {1}, was dieses Programm nicht enthält: Joinery für Python mit `python3 -m pip install 'joinery{2}'` installieren und es damit tun.</translation>
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
      <source>{0} of memory are free</source>
      <translation>{0} Speicher sind frei</translation>
    </message>
    <message>
      <source>{0} of memory are left after the weights</source>
      <translation>{0} Speicher bleiben nach den Gewichten</translation>
    </message>
    <message>
      <source>{0} of the runs in {1} cannot be read, so they are left out.</source>
      <translation>{0} der Läufe in {1} sind nicht lesbar und werden ausgelassen.</translation>
    </message>
    <message>
      <source>{0} of the shape {1} is no bias of {2} columns</source>
      <translation>{0} der Form {1} ist kein Bias von {2} Spalten</translation>
    </message>
    <message>
      <source>{0} of the {1} held-back questions of {2}{3}</source>
      <translation>{0} der {1} zurückgehaltenen Fragen von {2}{3}</translation>
    </message>
    <message>
      <source>{0} of the {1} questions of {2}</source>
      <translation>{0} der {1} Fragen von {2}</translation>
    </message>
    <message>
      <source>{0} of {1} bytes arrived</source>
      <translation>{0} von {1} Bytes sind angekommen</translation>
    </message>
    <message>
      <source>{0} of {1} cannot be read: {2}; build the bundle again.</source>
      <translation>{0} von {1} kann nicht gelesen werden: {2}; das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} of {1} has no operator, so no runtime takes it.</source>
      <translation>{0} von {1} hat keinen Operator, daher nimmt keine Laufzeitumgebung ihn an.</translation>
    </message>
    <message>
      <source>{0} of {1} is no operator of {2} {3}, so no runtime takes it.</source>
      <translation>{0} von {1} ist kein Operator von {2} {3}, daher nimmt keine Laufzeitumgebung ihn an.</translation>
    </message>
    <message>
      <source>{0} of {1} is not JSON: build the bundle again.</source>
      <translation>{0} von {1} ist kein JSON: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} of {1} is not a JSON object: build the bundle again.</source>
      <translation>{0} von {1} ist kein JSON-Objekt: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} of {1} lacks the attribute {2}, so no runtime takes it.</source>
      <translation>{0} von {1} fehlt das Attribut {2}, daher nimmt keine Laufzeitumgebung ihn an.</translation>
    </message>
    <message>
      <source>{0} of {1} nodes of {2}</source>
      <translation>{0} von {1} Knoten von {2}</translation>
    </message>
    <message>
      <source>{0} of {1} reads {2}, which nothing makes: no runtime takes it.</source>
      <translation>{0} von {1} liest {2}, was nichts erzeugt: Keine Laufzeitumgebung nimmt ihn an.</translation>
    </message>
    <message>
      <source>{0} of {1} {2}: build the bundle again.</source>
      <translation>{0} von {1} {2}: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} of {1}{2}'s own</source>
      <translation>{0} der eigenen von {1}{2}</translation>
    </message>
    <message>
      <source>{0} paragraphs of {1}</source>
      <translation>{0} Absätze von {1}</translation>
    </message>
    <message>
      <source>{0} passages of {1}</source>
      <translation>{0} Abschnitte von {1}</translation>
    </message>
    <message>
      <source>{0} places {1} at the token {2}: nodes were added for that.</source>
      <translation>{0} setzt {1} an das Token {2}: dafür wurden Knoten ergänzt.</translation>
    </message>
    <message>
      <source>{0} prompt tokens and {1} new ones do not fit: the bundle takes a prompt of {2}, and its cache holds {3} tokens.</source>
      <translation>{0} Tokens der Eingabe und {1} neue passen nicht: das Bundle nimmt eine Eingabe von {2}, und sein Cache hält {3} Tokens.</translation>
    </message>
    <message>
      <source>{0} quantizes no experts {1}</source>
      <translation>{0} quantisiert keine Experten {1}</translation>
    </message>
    <message>
      <source>{0} quantizes nothing of this model{1}; build it with --precision fp32.</source>
      <translation>{0} quantisiert nichts von diesem Modell{1}; es mit --precision fp32 bauen.</translation>
    </message>
    <message>
      <source>{0} quantizes weights, not a cache: it belongs to {1}.quantization</source>
      <translation>{0} quantisiert Gewichte, keinen Cache: es gehört zu {1}.quantization</translation>
    </message>
    <message>
      <source>{0} questions of {1}</source>
      <translation>{0} Fragen von {1}</translation>
    </message>
    <message>
      <source>{0} ranks with a chat template, and its tokenizer has none: build it from a checkpoint with chat_template.jinja.</source>
      <translation>{0} ordnet mit einer Chat-Vorlage, und sein Tokenizer hat keine: aus einem Checkpoint mit chat_template.jinja bauen.</translation>
    </message>
    <message>
      <source>{0} reads the text anew: the cache is of the weights before.</source>
      <translation>{0} liest den Text neu: der Cache ist von den Gewichten davor.</translation>
    </message>
    <message>
      <source>{0} reads {1} tokens, and its tokenizer puts {2} special ones around a text: no token of the text is left.</source>
      <translation>{0} liest {1} Tokens, und sein Tokenizer setzt {2} besondere um einen Text: kein Token des Textes bleibt übrig.</translation>
    </message>
    <message>
      <source>{0} refers to a file outside the bundle, which is refused</source>
      <translation>{0} verweist auf eine Datei außerhalb des Bundles, was abgelehnt wird</translation>
    </message>
    <message>
      <source>{0} requests wait for {1} already: try again later.</source>
      <translation>{0} Anfragen warten schon auf {1}: später erneut versuchen.</translation>
    </message>
    <message>
      <source>{0} runs after {1}, which it feeds</source>
      <translation>{0} läuft nach {1}, das es speist</translation>
    </message>
    <message>
      <source>{0} runs at final, after the last token, and this pipeline generates no tokens</source>
      <translation>{0} läuft bei final, nach dem letzten Token, und diese Pipeline erzeugt keine Tokens</translation>
    </message>
    <message>
      <source>{0} runs at {1} already, and a session runs there once</source>
      <translation>{0} läuft schon bei {1}, und eine Session läuft dort einmal</translation>
    </message>
    <message>
      <source>{0} runs at {1} and {2} before it</source>
      <translation>{0} läuft bei {1} und {2} davor</translation>
    </message>
    <message>
      <source>{0} runs cannot be kept: give a whole number above 0.</source>
      <translation>{0} Läufe lassen sich nicht behalten: eine ganze Zahl über 0 angeben.</translation>
    </message>
    <message>
      <source>{0} runs for each chunk of the prompt, and {1} never in the same run; only outputs of cross_cache.source are kept for the steps</source>
      <translation>{0} läuft für jeden Block der Eingabe, und {1} nie im selben Lauf; nur Ausgaben von cross_cache.source werden für die Schritte behalten</translation>
    </message>
    <message>
      <source>{0} runs for each picture, and was given lists of {1}.</source>
      <translation>{0} läuft für jedes Bild und bekam Listen von {1}.</translation>
    </message>
    <message>
      <source>{0} runs on {1} of the {2} prompts: {3}</source>
      <translation>{0} läuft mit {1} der {2} Eingaben: {3}</translation>
    </message>
    <message>
      <source>{0} runs one token at a time, because its graph with past was traced for one.</source>
      <translation>{0} verarbeitet ein Token nach dem anderen, weil sein Graph mit past für eines aufgezeichnet wurde.</translation>
    </message>
    <message>
      <source>{0} scales its logits ({1} in config.json) and {2} does not, so the text part of this checkpoint cannot be built alone.</source>
      <translation>{0} skaliert seine Logits ({1} in config.json) und {2} nicht, also kann der Textteil dieses Checkpoints nicht allein gebaut werden.</translation>
    </message>
    <message>
      <source>{0} serves, but its ssh server forwards no port: allow AllowTcpForwarding in its sshd_config.</source>
      <translation>{0} antwortet, aber sein ssh-Server leitet keinen Port weiter: Erlauben Sie AllowTcpForwarding in seiner sshd_config.</translation>
    </message>
    <message>
      <source>{0} sets {1} to {2}, which cannot be: {3}; correct the file and build the bundle again.</source>
      <translation>{0} setzt {1} auf {2}, was nicht möglich ist: {3}; die Datei berichtigen und das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} should be {1} and is {2}.</source>
      <translation>{0} sollte {1} sein und ist {2}.</translation>
    </message>
    <message>
      <source>{0} should take {1} [1, columns, hidden] and give {2} with three or four axes, to draft from hidden states: export it again.</source>
      <translation>{0} sollte {1} [1, columns, hidden] nehmen und {2} mit drei oder vier Achsen geben, um aus verborgenen Zuständen zu entwerfen: erneut exportieren.</translation>
    </message>
    <message>
      <source>{0} sink tokens leave no room in a window of {1}</source>
      <translation>{0} Sink-Tokens lassen in einem Fenster von {1} keinen Platz</translation>
    </message>
    <message>
      <source>{0} states its pooling ({1}): leave --pooling and --normalize out.</source>
      <translation>{0} nennt sein Pooling ({1}): --pooling und --normalize weglassen.</translation>
    </message>
    <message>
      <source>{0} takes a whole number from 1 on, and {1} was given.</source>
      <translation>{0} nimmt eine ganze Zahl ab 1, und {1} wurde angegeben.</translation>
    </message>
    <message>
      <source>{0} takes another method than {1}.</source>
      <translation>{0} hat eine andere Methode als {1}.</translation>
    </message>
    <message>
      <source>{0} takes blocks of {1}, not {2}</source>
      <translation>{0} nimmt Blöcke von {1}, nicht {2}</translation>
    </message>
    <message>
      <source>{0} takes features, and the file does not name their placeholder token</source>
      <translation>{0} nimmt Merkmale, und die Datei nennt ihr Platzhalter-Token nicht</translation>
    </message>
    <message>
      <source>{0} takes keys and values of one size alone, not {1} and {2}</source>
      <translation>{0} nimmt nur Keys und Values einer Größe, nicht {1} und {2}</translation>
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
      <source>{0} takes no part in a chunk or a step, so that nothing can be timed.</source>
      <translation>{0} nimmt an keinem Block und keinem Schritt teil, also lässt sich nichts messen.</translation>
    </message>
    <message>
      <source>{0} takes no {1} of texts and tokens, so its graph reads no texts.</source>
      <translation>{0} nimmt keine {1} aus Texten und Tokens, also liest sein Graph keine Texte.</translation>
    </message>
    <message>
      <source>{0} takes {1} features, and their placeholder token is unknown: give it as tokens.{2}_token in --pipeline, or give a --tokenizer folder whose config.json has {3}_token_id.</source>
      <translation>{0} nimmt {1}-Merkmale, und ihr Platzhalter-Token ist unbekannt: es als tokens.{2}_token in --pipeline angeben oder mit --tokenizer einen Ordner, dessen config.json {3}_token_id hat.</translation>
    </message>
    <message>
      <source>{0} takes {1}, and a graph that reads a picture takes {2} alone.</source>
      <translation>{0} nimmt {1}, und ein Graph, der ein Bild liest, nimmt allein {2}.</translation>
    </message>
    <message>
      <source>{0} takes {1}, not {2}</source>
      <translation>{0} nimmt {1}, nicht {2}</translation>
    </message>
    <message>
      <source>{0} takes {1}, so its graph reads no texts.</source>
      <translation>{0} nimmt {1}, also liest sein Graph keine Texte.</translation>
    </message>
    <message>
      <source>{0} takes {1}, with which optimum's merged export chooses between two graphs in one: make a bundle of it with `joinery assemble`.</source>
      <translation>{0} nimmt {1}, womit der verbundene Export von optimum zwischen zwei Graphen in einem wählt: mit `joinery assemble` ein Bundle daraus machen.</translation>
    </message>
    <message>
      <source>{0} tensors and {1} entries of metadata</source>
      <translation>{0} Tensoren und {1} Einträge an Metadaten</translation>
    </message>
    <message>
      <source>{0} that {1} can be built for: choose one with --task: {2}.</source>
      <translation>{0}, für die {1} gebaut werden kann: eine mit --task wählen: {2}.</translation>
    </message>
    <message>
      <source>{0} tokens (original_max_position_embeddings in config.json)</source>
      <translation>{0} Tokens (original_max_position_embeddings in config.json)</translation>
    </message>
    <message>
      <source>{0} tokens exceed the {1} of generation.max_length</source>
      <translation>{0} Tokens übersteigen die {1} von generation.max_length</translation>
    </message>
    <message>
      <source>{0} tokens in {1} columns do not fit the cache of {2} after {3}: feed one token a step.</source>
      <translation>{0} Tokens in {1} Spalten passen hinter {3} nicht in den Cache von {2}: je Schritt ein Token eingeben.</translation>
    </message>
    <message>
      <source>{0} tokens of the built-in texts</source>
      <translation>{0} Tokens der eingebauten Texte</translation>
    </message>
    <message>
      <source>{0} tokens of {1}</source>
      <translation>{0} Tokens von {1}</translation>
    </message>
    <message>
      <source>{0} tokens were not read</source>
      <translation>{0} Tokens wurden nicht gelesen</translation>
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
      <source>{0} was {1} and is {2}</source>
      <translation>{0} war {1} und ist {2}</translation>
    </message>
    <message>
      <source>{0} with early_exit</source>
      <translation>{0} mit early_exit</translation>
    </message>
    <message>
      <source>{0} would not be the same: {1}</source>
      <translation>{0} wäre nicht dasselbe: {1}</translation>
    </message>
    <message>
      <source>{0} writes the KV cache {1} in this run already</source>
      <translation>{0} schreibt den KV-Cache {1} in diesem Lauf schon</translation>
    </message>
    <message>
      <source>{0} {1} in the name; known: {2}.</source>
      <translation>{0} {1} im Namen; bekannt: {2}.</translation>
    </message>
    <message>
      <source>{0} {1} is not in the vocabulary, whose ids go from 0 to {2}.</source>
      <translation>{0} {1} ist nicht im Vokabular, dessen IDs von 0 bis {2} gehen.</translation>
    </message>
    <message>
      <source>{0} {1} {2} is carried on in {3} {4} {5}: both must have one fixed shape and type, with a batch of 1.</source>
      <translation>{0} {1} {2} wird in {3} {4} {5} fortgeführt: beide müssen eine feste Form und einen Typ haben, mit einem Batch von 1.</translation>
    </message>
    <message>
      <source>{0} {1}, and should be </source>
      <translation>{0} {1} und sollte sein: </translation>
    </message>
    <message>
      <source>{0} {1}: a new one begins.</source>
      <translation>{0} {1}: ein neuer beginnt.</translation>
    </message>
    <message>
      <source>{0} {1}: build the bundle anew.</source>
      <translation>{0} {1}: das Bundle neu bauen.</translation>
    </message>
    <message>
      <source>{0} {1}: get the folder again.</source>
      <translation>{0} {1}: den Ordner neu beschaffen.</translation>
    </message>
    <message>
      <source>{0}'s input {1} is {2}: export the graph again.</source>
      <translation>Der Eingang {1} von {0} ist {2}: den Graphen erneut exportieren.</translation>
    </message>
    <message>
      <source>{0}'s kernel for {1} takes {2}.</source>
      <translation>Der Kernel von {0} für {1} nimmt {2}.</translation>
    </message>
    <message>
      <source>{0}'s {1} tokens attend to each other, and a run takes {2} of them here: use another provider, or build the model with a chunk of {3} or more.</source>
      <translation>Die {1} Tokens von {0} sehen einander, und ein Lauf nimmt hier {2} davon: einen anderen Provider verwenden oder das Modell mit einem chunk von {3} oder mehr bauen.</translation>
    </message>
    <message>
      <source>{0}, about {1} s left</source>
      <translation>{0}, noch etwa {1} s</translation>
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
      <source>{0}, and {1}: this one holds {2} tokens.</source>
      <translation>{0}, und {1}: dieser hält {2} Tokens.</translation>
    </message>
    <message>
      <source>{0}, because transformers cannot load it: {1}.</source>
      <translation>{0}, denn transformers kann sie nicht laden: {1}.</translation>
    </message>
    <message>
      <source>{0}, compared side by side.</source>
      <translation>{0}, nebeneinander verglichen.</translation>
    </message>
    <message>
      <source>{0}, of which every second confirms</source>
      <translation>{0}, wovon jede zweite bestätigt</translation>
    </message>
    <message>
      <source>{0}, over the other prompts</source>
      <translation>{0}, über die anderen Eingaben</translation>
    </message>
    <message>
      <source>{0}, read as version 2,</source>
      <translation>{0}, als Version 2 gelesen,</translation>
    </message>
    <message>
      <source>{0}, to confirm it</source>
      <translation>{0}, zur Bestätigung</translation>
    </message>
    <message>
      <source>{0}, which drafts, failed: {1}; generate without it.</source>
      <translation>{0}, das entwirft, schlug fehl: {1}; ohne es erzeugen.</translation>
    </message>
    <message>
      <source>{0}, with the amateur's sessions alone,</source>
      <translation>{0}, nur mit den Sessions des Amateurmodells,</translation>
    </message>
    <message>
      <source>{0}, with the draft's sessions alone,</source>
      <translation>{0}, nur mit den Sessions des Entwurfs,</translation>
    </message>
    <message>
      <source>{0}, {1} cores, {2} GiB, {3} {4}</source>
      <translation>{0}, {1} Kerne, {2} GiB, {3} {4}</translation>
    </message>
    <message>
      <source>{0}-bit integers in blocks of {1}{2}</source>
      <translation>{0}-Bit-Ganzzahlen in Blöcken von {1}{2}</translation>
    </message>
    <message>
      <source>{0}-bit integers with zero points</source>
      <translation>{0}-Bit-Ganzzahlen mit Nullpunkten</translation>
    </message>
    <message>
      <source>{0}-bit integers with zero points and minimums</source>
      <translation>ganze Zahlen von {0} Bit mit Nullpunkten und Minima</translation>
    </message>
    <message>
      <source>{0}-bit integers, with zero points where it has them</source>
      <translation>{0}-Bit-Ganzzahlen, mit Nullpunkten, wo es sie gibt</translation>
    </message>
    <message>
      <source>{0}-bit weights in blocks</source>
      <translation>{0}-Bit-Gewichte in Blöcken</translation>
    </message>
    <message>
      <source>{0}.{1} is {2}: a model that reads a sound is measured and compared with noise, for which its shape must be fixed; export the graph again.</source>
      <translation>{0}.{1} ist {2}: ein Modell, das Ton liest, wird mit Rauschen gemessen und verglichen, wofür die Form fest sein muss; den Graphen erneut exportieren.</translation>
    </message>
    <message>
      <source>{0}/tokenizer.json cannot be read: {1}.</source>
      <translation>{0}/tokenizer.json kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>{0}: '{1}' in its {2} is no regular expression ({3}).</source>
      <translation>{0}: „{1}“ in seiner {2} ist kein regulärer Ausdruck ({3}).</translation>
    </message>
    <message>
      <source>{0}: --{1} {2} keeps more, in {3} MiB of weights.</source>
      <translation>{0}: --{1} {2} erhält mehr, in {3} MiB an Gewichten.</translation>
    </message>
    <message>
      <source>{0}: build again with more bits or fewer quantized nodes.</source>
      <translation>{0}: mit mehr Bits oder weniger quantisierten Knoten neu bauen.</translation>
    </message>
    <message>
      <source>{0}: build the plain variant.</source>
      <translation>{0}: die Variante plain bauen.</translation>
    </message>
    <message>
      <source>{0}: build with --cache static.</source>
      <translation>{0}: mit --cache static bauen.</translation>
    </message>
    <message>
      <source>{0}: build with graphs=single</source>
      <translation>{0}: mit graphs=single bauen</translation>
    </message>
    <message>
      <source>{0}: config.json makes a model of {1} parameters and the weights hold {2}; the two do not belong together.</source>
      <translation>{0}: config.json ergibt ein Modell von {1} Parametern, und die Gewichte haben {2}; beide gehören nicht zusammen.</translation>
    </message>
    <message>
      <source>{0}: export the graph without it</source>
      <translation>{0}: den Graphen ohne es exportieren</translation>
    </message>
    <message>
      <source>{0}: get the complete checkpoint.</source>
      <translation>{0}: den vollständigen Checkpoint holen.</translation>
    </message>
    <message>
      <source>{0}: it is a {1}, so open a checkpoint that has the head for {2}.</source>
      <translation>{0}: es ist ein {1}, also einen Checkpoint öffnen, der den Kopf für {2} hat.</translation>
    </message>
    <message>
      <source>{0}: it writes no JSON object with a name and arguments; leave --tool-calls out.</source>
      <translation>{0}: es schreibt kein JSON-Objekt mit Namen und Argumenten; --tool-calls weglassen.</translation>
    </message>
    <message>
      <source>{0}: one axis would be {1}</source>
      <translation>{0}: eine Achse wäre {1}</translation>
    </message>
    <message>
      <source>{0}: run {1} of {2}</source>
      <translation>{0}: Lauf {1} von {2}</translation>
    </message>
    <message>
      <source>{0}: the adapter's tensor {1} holds NaN or infinite values.</source>
      <translation>{0}: der Tensor {1} des Adapters enthält NaN oder unendliche Werte.</translation>
    </message>
    <message>
      <source>{0}: the cache is static, and the export restarts.</source>
      <translation>{0}: der Cache ist static, und der Export beginnt neu.</translation>
    </message>
    <message>
      <source>{0}: the reply was cancelled.</source>
      <translation>{0}: Die Antwort wurde abgebrochen.</translation>
    </message>
    <message>
      <source>{0}: the weight {1} has the shape {2} and config.json makes it {3}; the two do not belong together.</source>
      <translation>{0}: das Gewicht {1} hat die Form {2}, und nach config.json ist sie {3}; beide gehören nicht zusammen.</translation>
    </message>
    <message>
      <source>{0}: the weight {1} holds NaN or infinite values.</source>
      <translation>{0}: das Gewicht {1} enthält NaN oder unendliche Werte.</translation>
    </message>
    <message>
      <source>{0}: the weight {1} is stored in {2} without a scale: get the checkpoint in floating point.</source>
      <translation>{0}: das Gewicht {1} ist in {2} ohne Skala gespeichert: den Checkpoint in Gleitkomma holen.</translation>
    </message>
    <message>
      <source>{0}: the weight {1}{2} does not exist in {3}, as which Joinery would build this {4}: config.json and the weights do not belong together.</source>
      <translation>{0}: das Gewicht {1}{2} gibt es nicht in {3}, als das Joinery dieses {4} bauen würde: config.json und die Gewichte gehören nicht zusammen.</translation>
    </message>
    <message>
      <source>{0}: they must have one type and rank</source>
      <translation>{0}: sie müssen einen Typ und Rang haben</translation>
    </message>
    <message>
      <source>{0}: warming up</source>
      <translation>{0}: wird warmgelaufen</translation>
    </message>
    <message>
      <source>{0}: {1} (a fault of Joinery: its log has the place).</source>
      <translation>{0}: {1} (ein Fehler von Joinery: sein Protokoll nennt die Stelle).</translation>
    </message>
    <message>
      <source>{0}: {1} This is a fault of Joinery: see the details.</source>
      <translation>{0}: {1} Das ist ein Fehler in Joinery: siehe die Einzelheiten.</translation>
    </message>
    <message>
      <source>{0}: {1} has {2} over the rest.</source>
      <translation>{0}: {1} hat {2} über den Rest.</translation>
    </message>
    <message>
      <source>{0}: {1} in its {2} is wrong ({3}).</source>
      <translation>{0}: {1} in seiner {2} ist falsch ({3}).</translation>
    </message>
    <message>
      <source>{0}={1} is about a KV cache, and {2} has none: leave it out.</source>
      <translation>{0}={1} betrifft einen KV-Cache, und {2} hat keinen: weglassen.</translation>
    </message>
    <message>
      <source>{0}[1, 1, 1, source] of floating-point numbers</source>
      <translation>{0}[1, 1, 1, Quelle] von Gleitkommazahlen</translation>
    </message>
    <message>
      <source>{0}[1, keys] of numbers or [1, 1, columns, keys] of floating-point numbers</source>
      <translation>{0}[1, Keys] von Zahlen oder [1, 1, Spalten, Keys] von Gleitkommazahlen</translation>
    </message>
    <message>
      <source>{0}[1, source] of numbers</source>
      <translation>{0}[1, Quelle] von Zahlen</translation>
    </message>
    <message>
      <source>{0}[{1}, 1, columns] of integers</source>
      <translation>{0}[{1}, 1, Spalten] von Ganzzahlen</translation>
    </message>
    <message>
      <source>{0}it has no rotary positions, which GroupQueryAttention would apply.</source>
      <translation>{0}es hat keine Drehpositionen, die GroupQueryAttention anwenden würde.</translation>
    </message>
    <message>
      <source>{0}it rotates its queries in another way ({1}).</source>
      <translation>{0}es dreht seine Queries auf andere Art ({1}).</translation>
    </message>
    <message>
      <source>{0}its positions are a bias of its attention, and not rotary.</source>
      <translation>{0}seine Positionen sind ein Bias seiner Attention und keine Drehungen.</translation>
    </message>
    <message>
      <source>{0}its rotary positions change with the length, and tables are fixed.</source>
      <translation>{0}seine Drehpositionen ändern sich mit der Länge, und Tabellen sind fest.</translation>
    </message>
    <message>
      <source>{0}its state cannot go back by a few tokens, as it must after a wrong draft.</source>
      <translation>{0}sein Zustand kann nicht um einige Tokens zurück, wie er es nach einem falschen Entwurf muss.</translation>
    </message>
    <message>
      <source>{0}its {1} layers are not in a ModuleList that can be truncated.</source>
      <translation>{0}seine {1} Schichten sind nicht in einer ModuleList, die sich kürzen lässt.</translation>
    </message>
    <message>
      <source>{0}its {1} names no epsilon.</source>
      <translation>{0}sein {1} nennt kein Epsilon.</translation>
    </message>
    <message>
      <source>{0}of its first {1} layers {2} keep keys and values.</source>
      <translation>{0}von seinen ersten {1} Schichten behalten {2} Keys und Values.</translation>
    </message>
    <message>
      <source>{0}rebuilt, its logits differ by {1}, so its attention is of another kind.</source>
      <translation>{0}neu gebaut, weichen seine Logits um {1} ab, also ist seine Attention von anderer Art.</translation>
    </message>
    <message>
      <source>{0}some of its layers attend to another layer's keys.</source>
      <translation>{0}einige seiner Schichten sehen die Keys einer anderen Schicht.</translation>
    </message>
    <message>
      <source>{0}{1} is not installed: see `joinery plugins list`.</source>
      <translation>{0}{1} ist nicht installiert: siehe `joinery plugins list`.</translation>
    </message>
    <message>
      <source>{0}{1} may not run: look at its code, then allow version {2} with `joinery plugins allow {3}`.</source>
      <translation>{0}{1} darf nicht laufen: seinen Code ansehen, dann Version {2} mit `joinery plugins allow {3}` erlauben.</translation>
    </message>
    <message>
      <source>{0}{1} of integers</source>
      <translation>{0}{1} von Ganzzahlen</translation>
    </message>
    <message>
      <source>{0}{1}'s held-back questions</source>
      <translation>zurückgehaltene Fragen von {0}{1}</translation>
    </message>
    <message>
      <source>{0}{1}: build with --cache static or scatter.</source>
      <translation>{0}{1}: mit --cache static oder scatter bauen.</translation>
    </message>
  </context>
</TS>

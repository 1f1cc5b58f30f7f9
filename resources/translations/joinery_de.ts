<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
  <context>
    <name>joinery</name>
    <message>
      <source> and </source>
      <translation> und </translation>
    </message>
    <message>
      <source> s</source>
      <translation> s</translation>
    </message>
    <message>
      <source> token</source>
      <translation> Token</translation>
    </message>
    <message>
      <source> tokens</source>
      <translation> Tokens</translation>
    </message>
    <message>
      <source> · changed since they were read</source>
      <translation> · seit dem Lesen geändert</translation>
    </message>
    <message>
      <source> · full</source>
      <translation> · voll</translation>
    </message>
    <message>
      <source> · nearly full</source>
      <translation> · fast voll</translation>
    </message>
    <message>
      <source> · this chat does not fit, it needs about {0}</source>
      <translation> · dieser Chat passt nicht hinein, er braucht etwa {0}</translation>
    </message>
    <message>
      <source> · {0} evicted</source>
      <translation> · {0} verdrängt</translation>
    </message>
    <message numerus="yes">
      <source>%n components</source>
      <translation>
        <numerusform>%n Komponente</numerusform>
        <numerusform>%n Komponenten</numerusform>
      </translation>
    </message>
    <message>
      <source>'{0}' is no size of an axis: write name=number, such as sequence=16.</source>
      <translation>„{0}“ ist keine Größe einer Achse: Name=Zahl schreiben, etwa sequence=16.</translation>
    </message>
    <message>
      <source>(omitted)</source>
      <translation>(ausgelassen)</translation>
    </message>
    <message>
      <source>(unnamed)</source>
      <translation>(ohne Namen)</translation>
    </message>
    <message>
      <source>+ {0} more</source>
      <translation>+ {0} weitere</translation>
    </message>
    <message>
      <source>0 always takes the most probable token.</source>
      <translation>0 nimmt immer das wahrscheinlichste Token.</translation>
    </message>
    <message>
      <source>1 core</source>
      <translation>1 Kern</translation>
    </message>
    <message>
      <source>1 field</source>
      <translation>1 Feld</translation>
    </message>
    <message>
      <source>1 function</source>
      <translation>1 Funktion</translation>
    </message>
    <message>
      <source>1 item</source>
      <translation>1 Eintrag</translation>
    </message>
    <message>
      <source>1 kind of operator</source>
      <translation>1 Art von Operatoren</translation>
    </message>
    <message>
      <source>1 layer</source>
      <translation>1 Schicht</translation>
    </message>
    <message>
      <source>1 line</source>
      <translation>1 Zeile</translation>
    </message>
    <message>
      <source>1 node</source>
      <translation>1 Knoten</translation>
    </message>
    <message>
      <source>1 node is the same.</source>
      <translation>1 Knoten ist gleich.</translation>
    </message>
    <message>
      <source>1 node runs on the CPU</source>
      <translation>1 Knoten läuft auf der CPU</translation>
    </message>
    <message>
      <source>1 node was created by onnxruntime and is not in this graph.</source>
      <translation>1 Knoten ist so in keinem Graphen: onnxruntime hat ihn gemacht.</translation>
    </message>
    <message>
      <source>1 op</source>
      <translation>1 Op</translation>
    </message>
    <message>
      <source>1 picture</source>
      <translation>1 Bild</translation>
    </message>
    <message>
      <source>1 picture read</source>
      <translation>1 Bild gelesen</translation>
    </message>
    <message>
      <source>1 question</source>
      <translation>1 Frage</translation>
    </message>
    <message>
      <source>1 reply</source>
      <translation>1 Antwort</translation>
    </message>
    <message>
      <source>1 request</source>
      <translation>1 Anfrage</translation>
    </message>
    <message>
      <source>1 run</source>
      <translation>1 Lauf</translation>
    </message>
    <message>
      <source>1 run is not shown:</source>
      <translation>1 Lauf wird nicht gezeigt:</translation>
    </message>
    <message>
      <source>1 run was removed.</source>
      <translation>1 Lauf wurde entfernt.</translation>
    </message>
    <message>
      <source>1 slot</source>
      <translation>1 Slot</translation>
    </message>
    <message>
      <source>1 stop string</source>
      <translation>1 Stopptext</translation>
    </message>
    <message>
      <source>1 token</source>
      <translation>1 Token</translation>
    </message>
    <message>
      <source>1 token fits</source>
      <translation>1 Token passt hinein</translation>
    </message>
    <message>
      <source>1 token held</source>
      <translation>1 Token gehalten</translation>
    </message>
    <message>
      <source>1 token read</source>
      <translation>1 Token gelesen</translation>
    </message>
    <message>
      <source>1 value</source>
      <translation>1 Wert</translation>
    </message>
    <message>
      <source>1 worker</source>
      <translation>1 Worker</translation>
    </message>
    <message>
      <source>1 zero</source>
      <translation>1 Null</translation>
    </message>
    <message>
      <source>1 − cosine</source>
      <translation>1 − Kosinus</translation>
    </message>
    <message>
      <source>16 bits</source>
      <translation>16 Bit</translation>
    </message>
    <message>
      <source>4 bits</source>
      <translation>4 Bit</translation>
    </message>
    <message>
      <source>4 bits, with more of the model's answers kept.</source>
      <translation>4 Bit, mit mehr von den Antworten des Modells.</translation>
    </message>
    <message>
      <source>8 bits</source>
      <translation>8 Bit</translation>
    </message>
    <message>
      <source>8 bits: almost the model's own answers.</source>
      <translation>8 Bit: fast die Antworten des Modells selbst.</translation>
    </message>
    <message>
      <source>A JSON list of functions, for chat templates that support tools.</source>
      <translation>Eine JSON-Liste von Funktionen, für Chat-Vorlagen mit Werkzeugen.</translation>
    </message>
    <message>
      <source>A JSON schema is an object: { … }.</source>
      <translation>Ein JSON-Schema ist ein Objekt: { … }.</translation>
    </message>
    <message>
      <source>A and B (bundles, stages of one build, providers, or machines) read the same prompt. Every node of B gets the inputs of A's node, so that only nodes that differ by themselves are reported, not those after them.</source>
      <translation>A und B (Bundles, Stufen eines Baus, Provider oder Rechner) lesen denselben Prompt. Jeder Knoten von B bekommt die Eingaben des Knotens von A, so dass nur Knoten gemeldet werden, die von sich aus abweichen, nicht die danach.</translation>
    </message>
    <message>
      <source>A build is running.</source>
      <translation>Ein Bau läuft.</translation>
    </message>
    <message>
      <source>A bundle's folder</source>
      <translation>Ordner eines Bundles</translation>
    </message>
    <message>
      <source>A bundle, a checkpoint's folder, demo:NAME, a hub id</source>
      <translation>Ein Bundle, der Ordner eines Checkpoints, demo:NAME, eine Hub-ID</translation>
    </message>
    <message>
      <source>A certificate of one's own is trusted with SSL_CERT_FILE={0} (Python), NODE_EXTRA_CA_CERTS={0} (JavaScript) and --cacert {0} (curl).</source>
      <translation>Einem selbst ausgestellten Zertifikat wird mit SSL_CERT_FILE={0} (Python), NODE_EXTRA_CA_CERTS={0} (JavaScript) und --cacert {0} (curl) vertraut.</translation>
    </message>
    <message>
      <source>A certificate with its key, so that clients use https.</source>
      <translation>Ein Zertifikat mit seinem Schlüssel, damit Clients https verwenden.</translation>
    </message>
    <message>
      <source>A change opens the bundle again; the conversation stays.</source>
      <translation>Eine Änderung öffnet das Bundle neu; das Gespräch bleibt.</translation>
    </message>
    <message>
      <source>A cheaper source proposes tokens, and the model checks several at a time.</source>
      <translation>Eine billigere Quelle schlägt Tokens vor, und das Modell prüft mehrere auf einmal.</translation>
    </message>
    <message>
      <source>A checkpoint on this machine</source>
      <translation>Ein Checkpoint auf diesem Rechner</translation>
    </message>
    <message>
      <source>A comparison has its own colors.</source>
      <translation>Ein Vergleich hat eigene Farben.</translation>
    </message>
    <message>
      <source>A date</source>
      <translation>Ein Datum</translation>
    </message>
    <message>
      <source>A file of inputs</source>
      <translation>Eine Datei mit Eingaben</translation>
    </message>
    <message>
      <source>A folder with a genai_config.json</source>
      <translation>Ein Ordner mit genai_config.json</translation>
    </message>
    <message>
      <source>A folder, a model of the hub or a demo. Choose Demo to try it without a download; what the checkpoint holds appears below before anything is converted.</source>
      <translation>Ein Ordner, ein Modell des Hubs oder eine Demo. Mit der Demo geht es ohne Download; was der Checkpoint enthält, steht darunter, bevor etwas umgewandelt wird.</translation>
    </message>
    <message>
      <source>A full cache evicts its oldest tokens and continues; the model no longer sees them.</source>
      <translation>Ein voller Cache verdrängt seine ältesten Tokens und läuft weiter; das Modell sieht sie nicht mehr.</translation>
    </message>
    <message>
      <source>A hen lays up to 300 eggs a year.</source>
      <translation>Ein Huhn legt bis zu 300 Eier im Jahr.</translation>
    </message>
    <message>
      <source>A list of items</source>
      <translation>Eine Liste von Einträgen</translation>
    </message>
    <message>
      <source>A module (.mjs) for Node 20 or newer, without a package.</source>
      <translation>Ein Modul (.mjs) für Node 20 oder neuer, ohne Paket.</translation>
    </message>
    <message>
      <source>A name is not empty, has no =, and stands for one bundle.</source>
      <translation>Ein Name ist nicht leer, enthält kein = und steht für ein Bundle.</translation>
    </message>
    <message>
      <source>A person</source>
      <translation>Eine Person</translation>
    </message>
    <message>
      <source>A plan lists sources, recipes, layouts and providers. A sweep builds, evaluates and measures all of them. Its steps and accuracy against speed appear here; the folder of any sweep can be opened.</source>
      <translation>Ein Plan nennt Quellen, Rezepte, Layouts und Provider. Eine Versuchsreihe baut, vergleicht und misst sie alle. Ihre Schritte und Genauigkeit über Tempo erscheinen hier; der Ordner jeder Versuchsreihe lässt sich öffnen.</translation>
    </message>
    <message>
      <source>A quarter of the memory, and faster steps in long texts. The build calibrates the scales with prompts.</source>
      <translation>Ein Viertel des Speichers und schnellere Schritte in langen Texten. Der Bau kalibriert die Skalen mit Prompts.</translation>
    </message>
    <message>
      <source>A random prompt and a reply, both of a fixed length; the first run warms up and is not counted.</source>
      <translation>Ein zufälliger Prompt und eine Antwort, beide fester Länge; der erste Lauf wärmt auf und zählt nicht.</translation>
    </message>
    <message>
      <source>A recipe is a JSON object: { … }.</source>
      <translation>Ein Rezept ist ein JSON-Objekt: { … }.</translation>
    </message>
    <message>
      <source>A reply in “{0}” is not finished: wait until it ends, or stop it in its chat.</source>
      <translation>Eine Antwort in „{0}“ ist nicht fertig: warten, bis sie endet, oder sie in ihrem Chat stoppen.</translation>
    </message>
    <message>
      <source>A reply is being generated, which would slow the benchmark: wait for its end.</source>
      <translation>Eine Antwort wird erzeugt und würde den Benchmark verlangsamen: warten, bis sie fertig ist.</translation>
    </message>
    <message>
      <source>A reply is being generated: the cache can be changed after its end.</source>
      <translation>Eine Antwort wird erzeugt: der Cache kann geändert werden, wenn sie geendet hat.</translation>
    </message>
    <message>
      <source>A reply is made with one of the adapters or with none; each step takes a little longer.</source>
      <translation>Eine Antwort entsteht mit einem der Adapter oder mit keinem; jeder Schritt dauert etwas länger.</translation>
    </message>
    <message>
      <source>A small trained model that ships with Joinery</source>
      <translation>Ein kleines trainiertes Modell, das mit Joinery kommt</translation>
    </message>
    <message>
      <source>A smaller bundle of the same family, with the same tokens.</source>
      <translation>Ein kleineres Bundle derselben Familie, das dieselben Tokens spricht.</translation>
    </message>
    <message>
      <source>A token</source>
      <translation>Ein Token</translation>
    </message>
    <message>
      <source>A whole number</source>
      <translation>Eine ganze Zahl</translation>
    </message>
    <message>
      <source>A workbench that turns Hugging Face checkpoints into composite ONNX models, and lets you see, run and measure what was built.</source>
      <translation>Eine Werkbank, die aus Hugging-Face-Checkpoints zusammengesetzte ONNX-Modelle macht und zeigt, ausführt und misst, was gebaut wurde.</translation>
    </message>
    <message>
      <source>A worker process does not respond.</source>
      <translation>Ein Worker-Prozess antwortet nicht.</translation>
    </message>
    <message>
      <source>A, the reference</source>
      <translation>A, die Referenz</translation>
    </message>
    <message>
      <source>About</source>
      <translation>Über</translation>
    </message>
    <message>
      <source>About Joinery</source>
      <translation>Über Joinery</translation>
    </message>
    <message>
      <source>Above 0 favours long texts, below 0 short ones.</source>
      <translation>Über 0 bevorzugt lange Texte, unter 0 kurze.</translation>
    </message>
    <message>
      <source>Accepted draft tokens ÷ drafted tokens.</source>
      <translation>Angenommene ÷ vorgeschlagene Entwurfs-Tokens.</translation>
    </message>
    <message>
      <source>Accepted drafts</source>
      <translation>Angenommene Entwürfe</translation>
    </message>
    <message>
      <source>Accuracy</source>
      <translation>Genauigkeit</translation>
    </message>
    <message>
      <source>Accuracy against speed; the table beside it lists the same points</source>
      <translation>Genauigkeit gegen Tempo; die Tabelle daneben führt dieselben Punkte auf</translation>
    </message>
    <message>
      <source>Accuracy and speed</source>
      <translation>Genauigkeit und Tempo</translation>
    </message>
    <message>
      <source>Accuracy: compare</source>
      <translation>Genauigkeit: vergleichen</translation>
    </message>
    <message>
      <source>Accuracy: stop comparing</source>
      <translation>Genauigkeit: Vergleich anhalten</translation>
    </message>
    <message>
      <source>Accurate</source>
      <translation>Genau</translation>
    </message>
    <message>
      <source>Actions</source>
      <translation>Aktionen</translation>
    </message>
    <message>
      <source>Adapter</source>
      <translation>Adapter</translation>
    </message>
    <message>
      <source>Adapters</source>
      <translation>Adapter</translation>
    </message>
    <message>
      <source>Add</source>
      <translation>Hinzufügen</translation>
    </message>
    <message>
      <source>Add a bundle to serve.</source>
      <translation>Ein Bundle hinzufügen, das antworten soll.</translation>
    </message>
    <message>
      <source>Add a bundle under Setup; its samples appear here.</source>
      <translation>Unter Einrichtung ein Bundle hinzufügen; seine Beispiele erscheinen hier.</translation>
    </message>
    <message>
      <source>Add an adapter</source>
      <translation>Adapter hinzufügen</translation>
    </message>
    <message>
      <source>Add an op</source>
      <translation>Eine Op hinzufügen</translation>
    </message>
    <message>
      <source>Add and check</source>
      <translation>Hinzufügen und prüfen</translation>
    </message>
    <message>
      <source>Added to the logits of tokens, for example 7: 2.5, 11: -30.</source>
      <translation>Wird zu den Logits von Tokens addiert, zum Beispiel 7: 2.5, 11: -30.</translation>
    </message>
    <message>
      <source>Adding a machine</source>
      <translation>Rechner wird hinzugefügt</translation>
    </message>
    <message>
      <source>Address</source>
      <translation>Adresse</translation>
    </message>
    <message>
      <source>Address to listen on</source>
      <translation>Adresse, auf der gehorcht wird</translation>
    </message>
    <message>
      <source>After</source>
      <translation>Nachher</translation>
    </message>
    <message>
      <source>After a switch the model reads the chat anew: the cache is of the weights before.</source>
      <translation>Nach einem Wechsel liest das Modell den Chat neu: Der Cache gehört zu den Gewichten davor.</translation>
    </message>
    <message>
      <source>After each build</source>
      <translation>Nach jedem Bau</translation>
    </message>
    <message>
      <source>Against the graphs before quantizing, over {0} positions of {1}: the most probable token is the same at {2}, the divergence (KL) is {3} nats, the perplexity goes from {4} to {5}.</source>
      <translation>Gegenüber den Graphen vor dem Quantisieren, an {0} Stellen von {1}: das wahrscheinlichste Token ist bei {2} dasselbe, die Divergenz (KL) beträgt {3} nats, die Perplexität geht von {4} auf {5}.</translation>
    </message>
    <message>
      <source>Against {0}</source>
      <translation>Gegen {0}</translation>
    </message>
    <message>
      <source>All builds, generations, measurements and evaluations appear here, including those of the command line.</source>
      <translation>Alle Baue, Erzeugungen, Messungen und Auswertungen erscheinen hier, auch die der Kommandozeile.</translation>
    </message>
    <message>
      <source>All bundles</source>
      <translation>Alle Bundles</translation>
    </message>
    <message>
      <source>All but the outliers (percentile)</source>
      <translation>Alles außer den Ausreißern (Perzentil)</translation>
    </message>
    <message>
      <source>All kinds</source>
      <translation>Alle Arten</translation>
    </message>
    <message>
      <source>All nodes run on this device, and the results are correct.</source>
      <translation>Alle Knoten laufen auf diesem Gerät, und die Ergebnisse sind richtig.</translation>
    </message>
    <message>
      <source>All other layers continue from its errors.</source>
      <translation>Alle anderen Schichten rechnen mit ihren Fehlern weiter.</translation>
    </message>
    <message>
      <source>All precisions</source>
      <translation>Alle Präzisionen</translation>
    </message>
    <message>
      <source>All providers</source>
      <translation>Alle Provider</translation>
    </message>
    <message>
      <source>All runs</source>
      <translation>Alle Läufe</translation>
    </message>
    <message>
      <source>All settings were reset to their defaults.</source>
      <translation>Alle Einstellungen wurden auf ihre Vorgaben zurückgesetzt.</translation>
    </message>
    <message>
      <source>All slots</source>
      <translation>Alle Slots</translation>
    </message>
    <message>
      <source>All {0} files are unchanged</source>
      <translation>Alle {0} Dateien sind, wie sie geschrieben wurden</translation>
    </message>
    <message>
      <source>All {0} files of the bundle are unchanged.</source>
      <translation>Alle {0} Dateien des Bundles sind, wie sie geschrieben wurden.</translation>
    </message>
    <message>
      <source>Allocated</source>
      <translation>Belegt</translation>
    </message>
    <message>
      <source>Alt+Up  Alt+Down</source>
      <translation>Alt+Auf  Alt+Ab</translation>
    </message>
    <message>
      <source>An encoder-decoder reads each source anew and starts with an empty decoder, so its cache cannot be rewound, saved or loaded between two runs.</source>
      <translation>Ein Encoder-Decoder liest jede Quelle neu, und sein Decoder beginnt leer; zwischen zwei Läufen gibt es darum nichts zurückzuspulen, zu speichern oder zu laden.</translation>
    </message>
    <message>
      <source>An open session of this bundle shows its cache here, and can rewind, save and load it.</source>
      <translation>Eine Sitzung dieses Bundles zeigt hier ihren Cache und kann ihn zurückspulen, speichern und laden.</translation>
    </message>
    <message>
      <source>Another bundle</source>
      <translation>Ein anderes Bundle</translation>
    </message>
    <message>
      <source>Another bundle was opened.</source>
      <translation>Ein anderes Bundle wurde geöffnet.</translation>
    </message>
    <message>
      <source>Answer again</source>
      <translation>Noch einmal antworten</translation>
    </message>
    <message>
      <source>Answer again, as a new branch</source>
      <translation>Noch einmal antworten, als neuer Zweig</translation>
    </message>
    <message>
      <source>Answers of both bundles</source>
      <translation>Antworten beider Bundles</translation>
    </message>
    <message>
      <source>Answers prompts of text and pictures.</source>
      <translation>Beantwortet Prompts aus Text und Bildern.</translation>
    </message>
    <message>
      <source>Answers prompts of text and sound.</source>
      <translation>Beantwortet Prompts aus Text und Ton.</translation>
    </message>
    <message>
      <source>Appearance</source>
      <translation>Darstellung</translation>
    </message>
    <message>
      <source>Architecture</source>
      <translation>Architektur</translation>
    </message>
    <message>
      <source>Architecture, parameters, tokenizer and code of the checkpoint appear here before anything is converted.</source>
      <translation>Architektur, Parameter, Tokenizer und Code des Checkpoints erscheinen hier, bevor etwas umgewandelt wird.</translation>
    </message>
    <message>
      <source>Arrow keys move by a second, page keys by ten.</source>
      <translation>Pfeiltasten gehen eine Sekunde weiter, Bildtasten zehn.</translation>
    </message>
    <message>
      <source>Arrow keys move from slot to slot.</source>
      <translation>Pfeiltasten gehen von Slot zu Slot.</translation>
    </message>
    <message>
      <source>Arrow keys walk through the stages: export, each pass, the final graph</source>
      <translation>Pfeiltasten gehen durch die Stufen: Export, jeder Pass, der fertige Graph</translation>
    </message>
    <message>
      <source>Arrow keys walk through the steps of the last generation</source>
      <translation>Pfeiltasten gehen durch die Schritte der letzten Erzeugung</translation>
    </message>
    <message>
      <source>Arrows</source>
      <translation>Pfeiltasten</translation>
    </message>
    <message>
      <source>As a picture or as numbers</source>
      <translation>Als Bild oder als Zahlen</translation>
    </message>
    <message>
      <source>As it runs</source>
      <translation>Wie es läuft</translation>
    </message>
    <message>
      <source>Ask a question here. The chips above say what the reply is made with; pointing at a word of the reply shows its token, its probability and the alternatives.</source>
      <translation>Hier eine Frage stellen. Die Chips darüber sagen, womit die Antwort entsteht; der Mauszeiger auf einem Wort der Antwort zeigt sein Token, dessen Wahrscheinlichkeit und die Alternativen.</translation>
    </message>
    <message>
      <source>Ask a question in Chat, run a benchmark, or compare two bundles under Accuracy. Drag over the chart to zoom in, and export it as CSV, PNG or SVG.</source>
      <translation>Im Chat etwas fragen, einen Benchmark starten oder unter Genauigkeit zwei Bundles vergleichen. Über das Diagramm ziehen, um zu vergrößern; es lässt sich als CSV, PNG oder SVG exportieren.</translation>
    </message>
    <message>
      <source>Ask in a new chat</source>
      <translation>In neuem Chat fragen</translation>
    </message>
    <message>
      <source>Ask something</source>
      <translation>Etwas fragen</translation>
    </message>
    <message>
      <source>Ask the bundle</source>
      <translation>Gefragt wird das Bundle</translation>
    </message>
    <message>
      <source>Ask the bundle tasks of lm-eval</source>
      <translation>Das Bundle Aufgaben von lm-eval fragen</translation>
    </message>
    <message>
      <source>Ask the model something</source>
      <translation>Das Modell etwas fragen</translation>
    </message>
    <message>
      <source>Ask the tasks</source>
      <translation>Aufgaben fragen</translation>
    </message>
    <message>
      <source>Asking tasks</source>
      <translation>Aufgaben werden gefragt</translation>
    </message>
    <message>
      <source>Assemble</source>
      <translation>Zusammensetzen</translation>
    </message>
    <message>
      <source>Assemble ONNX graphs to a bundle</source>
      <translation>ONNX-Graphen zu einem Bundle zusammensetzen</translation>
    </message>
    <message>
      <source>Assemble ONNX graphs …</source>
      <translation>ONNX-Graphen zusammensetzen …</translation>
    </message>
    <message>
      <source>Assemble graphs</source>
      <translation>Graphen zusammensetzen</translation>
    </message>
    <message>
      <source>Assemble …</source>
      <translation>Zusammensetzen …</translation>
    </message>
    <message>
      <source>Assembling</source>
      <translation>Zusammensetzen</translation>
    </message>
    <message>
      <source>At nine o'clock a train departs for the seaside.</source>
      <translation>Um neun Uhr geht ein Zug ans Meer.</translation>
    </message>
    <message>
      <source>At temperature 0 the reply is the same as without drafts, token for token.</source>
      <translation>Bei Temperatur 0 ist die Antwort Token für Token dieselbe wie ohne Entwürfe.</translation>
    </message>
    <message>
      <source>Attach pictures</source>
      <translation>Bilder anhängen</translation>
    </message>
    <message>
      <source>Attach pictures (Ctrl+Shift+P)</source>
      <translation>Bilder anhängen (Strg+Umschalt+P)</translation>
    </message>
    <message>
      <source>Attach pictures or a recording</source>
      <translation>Bilder oder eine Aufnahme anhängen</translation>
    </message>
    <message>
      <source>Attach recordings</source>
      <translation>Aufnahmen anhängen</translation>
    </message>
    <message>
      <source>Attach recordings (Ctrl+Shift+P)</source>
      <translation>Aufnahmen anhängen (Strg+Umschalt+P)</translation>
    </message>
    <message>
      <source>Attached files</source>
      <translation>Angehängte Dateien</translation>
    </message>
    <message>
      <source>Attention output: {0}</source>
      <translation>Attention-Ausgabe: {0}</translation>
    </message>
    <message>
      <source>Attributes</source>
      <translation>Attribute</translation>
    </message>
    <message>
      <source>B first differs at depth {0}.</source>
      <translation>B weicht zuerst in Tiefe {0} ab.</translation>
    </message>
    <message>
      <source>B first differs at {0}, {1}.</source>
      <translation>B weicht zuerst ab bei {0}, {1}.</translation>
    </message>
    <message>
      <source>B, the candidate</source>
      <translation>B, der Kandidat</translation>
    </message>
    <message>
      <source>Back</source>
      <translation>Zurück</translation>
    </message>
    <message>
      <source>Back to 1 token</source>
      <translation>Zurück auf 1 Token</translation>
    </message>
    <message>
      <source>Back to the chat</source>
      <translation>Zurück zum Chat</translation>
    </message>
    <message>
      <source>Back to the graph</source>
      <translation>Zurück zum Graphen</translation>
    </message>
    <message>
      <source>Back to {0}</source>
      <translation>Zurück zu {0}</translation>
    </message>
    <message>
      <source>Back to {0} tokens</source>
      <translation>Zurück auf {0} Tokens</translation>
    </message>
    <message>
      <source>Balanced</source>
      <translation>Ausgewogen</translation>
    </message>
    <message>
      <source>Beam search cannot be combined with drafts: turn off Drafts or Beams.</source>
      <translation>Die Beam-Suche lässt sich nicht mit Entwürfen verbinden: Entwürfe oder Beams ausschalten.</translation>
    </message>
    <message>
      <source>Beam search does not sample: set the temperature to 0, or remove Sample from the chain.</source>
      <translation>Die Beam-Suche zieht keine Tokens: die Temperatur auf 0 setzen oder Ziehen aus der Kette entfernen.</translation>
    </message>
    <message>
      <source>Beam search uses no drafts, and the reply appears when it ends.</source>
      <translation>Die Beam-Suche nutzt keine Entwürfe, und die Antwort erscheint an ihrem Ende.</translation>
    </message>
    <message>
      <source>Beam search: follows several texts at once and returns the most probable one.</source>
      <translation>Beam-Suche: verfolgt mehrere Texte zugleich und liefert den wahrscheinlichsten.</translation>
    </message>
    <message>
      <source>Beams</source>
      <translation>Beams</translation>
    </message>
    <message>
      <source>Before</source>
      <translation>Vorher</translation>
    </message>
    <message>
      <source>Before and after side by side</source>
      <translation>Vorher und nachher nebeneinander</translation>
    </message>
    <message>
      <source>Before and after side by side (Ctrl+D)</source>
      <translation>Vorher und nachher nebeneinander (Strg+D)</translation>
    </message>
    <message>
      <source>Begin a text and the model completes it</source>
      <translation>Einen Text beginnen, und das Modell setzt ihn fort</translation>
    </message>
    <message>
      <source>Begin with …</source>
      <translation>Beginnen mit …</translation>
    </message>
    <message>
      <source>Begins with</source>
      <translation>Beginnt mit</translation>
    </message>
    <message>
      <source>Bits</source>
      <translation>Bits</translation>
    </message>
    <message>
      <source>Block size of the output head, the embedding and the attention output</source>
      <translation>Blockgröße des Ausgabekopfs, des Embeddings und der Attention-Ausgabe</translation>
    </message>
    <message>
      <source>Blocks</source>
      <translation>Blöcke</translation>
    </message>
    <message>
      <source>Blocks have no zero point: smaller and less accurate.</source>
      <translation>Blöcke haben keinen Nullpunkt: kleiner und weniger genau.</translation>
    </message>
    <message>
      <source>Blocks of {0}</source>
      <translation>Blöcke von {0}</translation>
    </message>
    <message>
      <source>Blocks of {0} with zero points</source>
      <translation>Blöcke zu {0} mit Nullpunkten</translation>
    </message>
    <message>
      <source>Boil the potatoes for twenty minutes.</source>
      <translation>Kochen Sie die Kartoffeln zwanzig Minuten.</translation>
    </message>
    <message>
      <source>Both are under Help, too.</source>
      <translation>Beides steht auch unter Hilfe.</translation>
    </message>
    <message>
      <source>Browse</source>
      <translation>Durchsuchen</translation>
    </message>
    <message>
      <source>Build</source>
      <translation>Bauen</translation>
    </message>
    <message>
      <source>Build ONNX graphs with an explicit KV cache from a Hugging Face folder or hub id.</source>
      <translation>ONNX-Graphen mit ausdrücklichem KV-Cache aus einem Hugging-Face-Ordner oder einer Hub-ID bauen.</translation>
    </message>
    <message>
      <source>Build a bundle</source>
      <translation>Ein Bundle bauen</translation>
    </message>
    <message>
      <source>Build a bundle from a checkpoint</source>
      <translation>Aus einem Checkpoint ein Bundle bauen</translation>
    </message>
    <message>
      <source>Build a checkpoint or open a bundle to begin</source>
      <translation>Zuerst einen Checkpoint bauen oder ein Bundle öffnen</translation>
    </message>
    <message>
      <source>Build again as {0}</source>
      <translation>Als {0} neu bauen</translation>
    </message>
    <message>
      <source>Build again as …</source>
      <translation>Noch einmal bauen als …</translation>
    </message>
    <message>
      <source>Build and chat</source>
      <translation>Bauen und chatten</translation>
    </message>
    <message>
      <source>Build and measure many bundles by a plan</source>
      <translation>Viele Bundles nach einem Plan bauen und messen</translation>
    </message>
    <message>
      <source>Build another</source>
      <translation>Noch eines bauen</translation>
    </message>
    <message>
      <source>Build stage cache</source>
      <translation>Speicher für Baustufen</translation>
    </message>
    <message>
      <source>Build stopped; it can be resumed</source>
      <translation>Bau angehalten; er kann fortgesetzt werden</translation>
    </message>
    <message>
      <source>Build the small Qwen3 that ships with Joinery: under a minute, no download.</source>
      <translation>Das kleine Qwen3 bauen, das mit Joinery kommt: unter einer Minute, ohne Download.</translation>
    </message>
    <message>
      <source>Build without quantizing them</source>
      <translation>Ohne deren Quantisierung bauen</translation>
    </message>
    <message>
      <source>Build without the tokenizer</source>
      <translation>Ohne den Tokenizer bauen</translation>
    </message>
    <message>
      <source>Building needs packages that this installation of Joinery does not have (PyTorch and others).</source>
      <translation>Das Bauen braucht Pakete, die diese Installation von Joinery nicht hat (PyTorch und andere).</translation>
    </message>
    <message>
      <source>Building the reference: {0}</source>
      <translation>Die Referenz wird gebaut: {0}</translation>
    </message>
    <message>
      <source>Builds a bundle from a checkpoint: graphs with an explicit KV cache, weights, tokenizer and the results of every stage.</source>
      <translation>Baut aus einem Checkpoint ein Bundle: Graphen mit explizitem KV-Cache, Gewichte, Tokenizer und die Ergebnisse jeder Stufe.</translation>
    </message>
    <message>
      <source>Built</source>
      <translation>Gebaut</translation>
    </message>
    <message>
      <source>Built in {0}</source>
      <translation>Gebaut in {0}</translation>
    </message>
    <message>
      <source>Bundle</source>
      <translation>Bundle</translation>
    </message>
    <message>
      <source>Bundle default</source>
      <translation>Vorgabe des Bundles</translation>
    </message>
    <message>
      <source>Bundle default ({0})</source>
      <translation>Vorgabe des Bundles ({0})</translation>
    </message>
    <message>
      <source>Bundle folder</source>
      <translation>Bundle-Ordner</translation>
    </message>
    <message>
      <source>Bundle is open</source>
      <translation>Bundle ist offen</translation>
    </message>
    <message>
      <source>Bundle on the left</source>
      <translation>Bundle links</translation>
    </message>
    <message>
      <source>Bundle on the right</source>
      <translation>Bundle rechts</translation>
    </message>
    <message>
      <source>Bundle that drafts</source>
      <translation>Bundle, das entwirft</translation>
    </message>
    <message>
      <source>Bundle that the samples ask</source>
      <translation>Bundle, das die Beispiele fragen</translation>
    </message>
    <message>
      <source>Bundle to add</source>
      <translation>Bundle zum Hinzufügen</translation>
    </message>
    <message>
      <source>Bundle to evaluate</source>
      <translation>Bundle, das ausgewertet wird</translation>
    </message>
    <message>
      <source>Bundle {0}</source>
      <translation>Bundle {0}</translation>
    </message>
    <message>
      <source>Bundles</source>
      <translation>Bundles</translation>
    </message>
    <message>
      <source>Bundles answer programs that speak OpenAI's interface.</source>
      <translation>Bundles antworten Programmen, die die Schnittstelle von OpenAI sprechen.</translation>
    </message>
    <message>
      <source>Bundles of {0} by device</source>
      <translation>Bundles von {0} nach Gerät</translation>
    </message>
    <message>
      <source>Bundles run on another machine over the system's ssh client, with your own keys and configuration. Joinery of this version must be installed there; a bundle is copied when it is first used.</source>
      <translation>Bundles laufen auf einem anderen Rechner über den ssh-Client des Systems, mit den eigenen Schlüsseln und der eigenen Konfiguration. Joinery muss dort in dieser Version installiert sein; ein Bundle wird kopiert, wenn es zum ersten Mal gebraucht wird.</translation>
    </message>
    <message>
      <source>Bundles that you build or open are listed here with their architecture, precision, cache and speed. A folder, an .onnx or a .gguf file can also be dropped anywhere in this window.</source>
      <translation>Gebaute und geöffnete Bundles stehen hier mit Architektur, Präzision, Cache und Tempo. Ein Ordner, eine .onnx- oder eine .gguf-Datei kann auch überall in diesem Fenster abgelegt werden.</translation>
    </message>
    <message>
      <source>Bundles: {0} · about {1} of building · about {2} of disk; comparing and measuring come on top.</source>
      <translation>Bundles: {0} · etwa {1} Bauzeit · etwa {2} Platz; Vergleichen und Messen kommen hinzu.</translation>
    </message>
    <message>
      <source>Bytes</source>
      <translation>Bytes</translation>
    </message>
    <message>
      <source>Bytes of all files of the bundle.</source>
      <translation>Bytes aller Dateien des Bundles.</translation>
    </message>
    <message>
      <source>CPU</source>
      <translation>CPU</translation>
    </message>
    <message>
      <source>CSV (*.csv)</source>
      <translation>CSV (*.csv)</translation>
    </message>
    <message>
      <source>Cache in use, %</source>
      <translation>Belegter Cache, %</translation>
    </message>
    <message>
      <source>Cache layout</source>
      <translation>Cache-Layout</translation>
    </message>
    <message>
      <source>Cache layout and capacity in tokens</source>
      <translation>Cache-Layout und Kapazität in Tokens</translation>
    </message>
    <message>
      <source>Cache layout and graphs</source>
      <translation>Cache-Layout und Graphen</translation>
    </message>
    <message>
      <source>Cache layouts (none: the build chooses)</source>
      <translation>Cache-Layouts (keins: der Bau wählt)</translation>
    </message>
    <message>
      <source>Cache, all slots</source>
      <translation>Cache, alle Slots</translation>
    </message>
    <message>
      <source>Calibrated with {0}.</source>
      <translation>Kalibriert mit: {0}.</translation>
    </message>
    <message>
      <source>Calibration</source>
      <translation>Kalibrierung</translation>
    </message>
    <message>
      <source>Calibration prompts</source>
      <translation>Prompts zur Kalibrierung</translation>
    </message>
    <message>
      <source>Calls</source>
      <translation>Aufrufe</translation>
    </message>
    <message>
      <source>Can go back to</source>
      <translation>Kann zurück auf</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <source>Cancel the build</source>
      <translation>Bau abbrechen</translation>
    </message>
    <message>
      <source>Capacity</source>
      <translation>Kapazität</translation>
    </message>
    <message>
      <source>Center</source>
      <translation>In die Mitte</translation>
    </message>
    <message>
      <source>Certificate (PEM)</source>
      <translation>Zertifikat (PEM)</translation>
    </message>
    <message>
      <source>Chain</source>
      <translation>Kette</translation>
    </message>
    <message>
      <source>Chain of logits</source>
      <translation>Kette der Logits</translation>
    </message>
    <message>
      <source>Changed</source>
      <translation>Geändert</translation>
    </message>
    <message>
      <source>Changes</source>
      <translation>Änderungen</translation>
    </message>
    <message>
      <source>Changes are saved at once. Settings that need a restart say so; Reset and Import can be undone.</source>
      <translation>Änderungen werden sofort gespeichert. Einstellungen, die einen Neustart brauchen, sagen es; Zurücksetzen und Importieren können rückgängig gemacht werden.</translation>
    </message>
    <message>
      <source>Changes by scope</source>
      <translation>Änderungen nach Bereich</translation>
    </message>
    <message>
      <source>Changes since: {0}</source>
      <translation>Änderungen seit: {0}</translation>
    </message>
    <message>
      <source>Characters</source>
      <translation>Zeichen</translation>
    </message>
    <message>
      <source>Chat</source>
      <translation>Chat</translation>
    </message>
    <message>
      <source>Chat with it</source>
      <translation>Damit chatten</translation>
    </message>
    <message>
      <source>Chat with the bundle</source>
      <translation>Mit dem Bundle chatten</translation>
    </message>
    <message>
      <source>Chat with the demo</source>
      <translation>Mit der Demo chatten</translation>
    </message>
    <message>
      <source>Chats</source>
      <translation>Chats</translation>
    </message>
    <message>
      <source>Check</source>
      <translation>Prüfen</translation>
    </message>
    <message>
      <source>Check a bundle</source>
      <translation>Ein Bundle prüfen</translation>
    </message>
    <message>
      <source>Check a bundle's files</source>
      <translation>Die Dateien eines Bundles prüfen</translation>
    </message>
    <message>
      <source>Check a bundle: Joinery runs it on the device and on the CPU and compares the results. Compile saves the compiled graphs of a provider, so that the bundle opens faster.</source>
      <translation>Ein Bundle prüfen: Joinery führt es auf dem Gerät und auf der CPU aus und vergleicht die Ergebnisse. Kompilieren speichert die kompilierten Graphen eines Providers, damit das Bundle schneller öffnet.</translation>
    </message>
    <message>
      <source>Check accuracy</source>
      <translation>Genauigkeit prüfen</translation>
    </message>
    <message>
      <source>Check again</source>
      <translation>Noch einmal prüfen</translation>
    </message>
    <message>
      <source>Check this bundle</source>
      <translation>Dieses Bundle prüfen</translation>
    </message>
    <message>
      <source>Checked {0}, on the graph after onnxruntime's fusions.</source>
      <translation>Geprüft {0}, am Graphen, wie onnxruntime ihn verschmolzen hat.</translation>
    </message>
    <message>
      <source>Checking a machine</source>
      <translation>Rechner wird geprüft</translation>
    </message>
    <message>
      <source>Checking every file of the bundle …</source>
      <translation>Jede Datei des Bundles wird geprüft …</translation>
    </message>
    <message>
      <source>Checking the bundle: one chunk and one step, compared with the CPU …</source>
      <translation>Das Bundle wird versucht: ein Block und ein Schritt, neben der CPU …</translation>
    </message>
    <message>
      <source>Checking {0}: one chunk and one step, compared with the CPU …</source>
      <translation>{0} wird geprüft: ein Block und ein Schritt, verglichen mit der CPU …</translation>
    </message>
    <message>
      <source>Checking …</source>
      <translation>Wird geprüft …</translation>
    </message>
    <message>
      <source>Choose a bundle and a reference. Both read the same tokens; agreement, divergence, hidden states, cache, perplexity and answers appear here.</source>
      <translation>Ein Bundle und eine Referenz wählen. Beide lesen dieselben Tokens; Übereinstimmung, Divergenz, Hidden States, Cache, Perplexität und Antworten erscheinen hier.</translation>
    </message>
    <message>
      <source>Choose a cell to read its two lines.</source>
      <translation>Eine Zelle wählen, um ihre zwei Zeilen zu lesen.</translation>
    </message>
    <message>
      <source>Choose a checkpoint's folder</source>
      <translation>Ordner eines Checkpoints wählen</translation>
    </message>
    <message>
      <source>Choose a file</source>
      <translation>Eine Datei wählen</translation>
    </message>
    <message>
      <source>Choose a file of prompts</source>
      <translation>Datei mit Prompts wählen</translation>
    </message>
    <message>
      <source>Choose a file…</source>
      <translation>Datei wählen…</translation>
    </message>
    <message>
      <source>Choose a folder</source>
      <translation>Ordner wählen</translation>
    </message>
    <message>
      <source>Choose a folder for the bundle.</source>
      <translation>Einen Ordner für das Bundle wählen.</translation>
    </message>
    <message>
      <source>Choose a model in GGUF</source>
      <translation>Ein Modell in GGUF wählen</translation>
    </message>
    <message>
      <source>Choose a picture</source>
      <translation>Ein Bild wählen</translation>
    </message>
    <message>
      <source>Choose a plan</source>
      <translation>Plan wählen</translation>
    </message>
    <message>
      <source>Choose a source</source>
      <translation>Quelle wählen</translation>
    </message>
    <message>
      <source>Choose a source and at least one precision.</source>
      <translation>Eine Quelle und mindestens eine Präzision wählen.</translation>
    </message>
    <message>
      <source>Choose a source: the folder of a checkpoint, a model of the hub or a demo. Every later step has a default; Next leads to the review and the build. A stopped build can be resumed.</source>
      <translation>Eine Quelle wählen: den Ordner eines Checkpoints, ein Modell des Hubs oder eine Demo. Jeder spätere Schritt hat eine Vorgabe; Weiter führt zur Übersicht und zum Bau. Ein angehaltener Bau kann fortgesetzt werden.</translation>
    </message>
    <message>
      <source>Choose an adapter's folder</source>
      <translation>Ordner eines Adapters wählen</translation>
    </message>
    <message>
      <source>Choose an address.</source>
      <translation>Eine Adresse wählen.</translation>
    </message>
    <message>
      <source>Choose pictures</source>
      <translation>Bilder wählen</translation>
    </message>
    <message>
      <source>Choose two bundles: each answers in its own process.</source>
      <translation>Zwei Bundles wählen: jedes antwortet in einem eigenen Prozess.</translation>
    </message>
    <message>
      <source>Choose …</source>
      <translation>Wählen …</translation>
    </message>
    <message>
      <source>Chooses picture files</source>
      <translation>Wählt Bilddateien</translation>
    </message>
    <message>
      <source>Classify</source>
      <translation>Klassifizieren</translation>
    </message>
    <message>
      <source>Classify pictures</source>
      <translation>Bilder klassifizieren</translation>
    </message>
    <message>
      <source>Classify pictures with {0}</source>
      <translation>Bilder klassifizieren mit {0}</translation>
    </message>
    <message>
      <source>Classify texts</source>
      <translation>Texte klassifizieren</translation>
    </message>
    <message>
      <source>Classify texts with {0}</source>
      <translation>Texte mit {0} klassifizieren</translation>
    </message>
    <message>
      <source>Classify the pictures</source>
      <translation>Die Bilder klassifizieren</translation>
    </message>
    <message>
      <source>Classify the texts</source>
      <translation>Die Texte klassifizieren</translation>
    </message>
    <message>
      <source>Click a session to open its graph, or a state to open the KV cache.</source>
      <translation>Ein Klick auf eine Session öffnet ihren Graphen, auf einen Zustand den KV-Cache.</translation>
    </message>
    <message>
      <source>Clients must send the token. It is not shown again.</source>
      <translation>Clients müssen das Token senden. Es wird nicht noch einmal gezeigt.</translation>
    </message>
    <message>
      <source>Clients name them in each request. A bundle is opened with the first one.</source>
      <translation>Clients nennen sie in jeder Anfrage. Ein Bundle wird mit der ersten geöffnet.</translation>
    </message>
    <message>
      <source>Close</source>
      <translation>Schließen</translation>
    </message>
    <message>
      <source>Close an unused bundle after</source>
      <translation>Unbenutztes Bundle schließen nach</translation>
    </message>
    <message>
      <source>Close the window?</source>
      <translation>Fenster schließen?</translation>
    </message>
    <message>
      <source>Closed.</source>
      <translation>Geschlossen.</translation>
    </message>
    <message>
      <source>Code</source>
      <translation>Code</translation>
    </message>
    <message>
      <source>Code of the checkpoint</source>
      <translation>Code des Checkpoints</translation>
    </message>
    <message>
      <source>Color by provider</source>
      <translation>Nach Provider färben</translation>
    </message>
    <message>
      <source>Color by time or bytes</source>
      <translation>Nach Zeit oder Bytes färben</translation>
    </message>
    <message>
      <source>Color scale from 0 to {0} per node</source>
      <translation>Farben von 0 bis {0} je Knoten</translation>
    </message>
    <message>
      <source>Combine</source>
      <translation>Verbinden</translation>
    </message>
    <message>
      <source>Compact</source>
      <translation>Kompakt</translation>
    </message>
    <message>
      <source>Compare</source>
      <translation>Vergleichen</translation>
    </message>
    <message>
      <source>Compare texts</source>
      <translation>Texte vergleichen</translation>
    </message>
    <message>
      <source>Compare texts with {0}</source>
      <translation>Texte vergleichen mit {0}</translation>
    </message>
    <message>
      <source>Compare the accuracy</source>
      <translation>Die Genauigkeit vergleichen</translation>
    </message>
    <message>
      <source>Compare the accuracy of a bundle</source>
      <translation>Die Genauigkeit eines Bundles vergleichen</translation>
    </message>
    <message>
      <source>Compare the accuracy of two bundles</source>
      <translation>Genauigkeit zweier Bundles vergleichen</translation>
    </message>
    <message>
      <source>Compare the answers of two bundles</source>
      <translation>Antworten zweier Bundles vergleichen</translation>
    </message>
    <message>
      <source>Compare the lines</source>
      <translation>Zeilen vergleichen</translation>
    </message>
    <message>
      <source>Compare with</source>
      <translation>Vergleichen mit</translation>
    </message>
    <message>
      <source>Compare with another bundle</source>
      <translation>Mit einem anderen Bundle vergleichen</translation>
    </message>
    <message>
      <source>Compares each two lines (Ctrl+Enter)</source>
      <translation>Vergleicht je zwei Zeilen (Strg+Eingabe)</translation>
    </message>
    <message>
      <source>Comparing accuracy</source>
      <translation>Genauigkeit wird verglichen</translation>
    </message>
    <message>
      <source>Comparing weights</source>
      <translation>Gewichte werden verglichen</translation>
    </message>
    <message>
      <source>Compensate errors in later weights (GPTQ)</source>
      <translation>Fehler in späteren Gewichten ausgleichen (GPTQ)</translation>
    </message>
    <message>
      <source>Compile</source>
      <translation>Kompilieren</translation>
    </message>
    <message>
      <source>Compile a bundle's graphs for a device</source>
      <translation>Die Graphen eines Bundles für ein Gerät übersetzen</translation>
    </message>
    <message>
      <source>Compile the graphs for this provider once and save the result, so that they open faster.</source>
      <translation>Die Graphen einmal für diesen Provider kompilieren und das Ergebnis speichern, damit sie schneller öffnen.</translation>
    </message>
    <message>
      <source>Compiling</source>
      <translation>Wird kompiliert</translation>
    </message>
    <message>
      <source>Component</source>
      <translation>Komponente</translation>
    </message>
    <message>
      <source>Component of {0}</source>
      <translation>Komponente von {0}</translation>
    </message>
    <message>
      <source>Components</source>
      <translation>Komponenten</translation>
    </message>
    <message>
      <source>Components at the left (Ctrl+B)</source>
      <translation>Komponenten links (Strg+B)</translation>
    </message>
    <message>
      <source>Components elsewhere …</source>
      <translation>Komponenten anderswo …</translation>
    </message>
    <message>
      <source>Components of the recipe</source>
      <translation>Komponenten des Rezepts</translation>
    </message>
    <message>
      <source>Components: {0}</source>
      <translation>Komponenten: {0}</translation>
    </message>
    <message>
      <source>Composite</source>
      <translation>Verbund</translation>
    </message>
    <message>
      <source>Composite: save the picture …</source>
      <translation>Verbund: Bild speichern …</translation>
    </message>
    <message>
      <source>Computed from the models' sizes; nothing is fetched. The weights as published, the memory to build them, and for each preset the weights and the tokens of context that fit the free memory beside them on the CPU, in brackets all memory.</source>
      <translation>Aus den Größen der Modelle berechnet; nichts wird geladen. Die veröffentlichten Gewichte, der Speicher für den Bau, und je Vorlage die Gewichte und die Tokens an Kontext, die daneben in den freien Speicher passen (auf der CPU), in Klammern in den gesamten.</translation>
    </message>
    <message>
      <source>Configuration</source>
      <translation>Konfiguration</translation>
    </message>
    <message>
      <source>Continue</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <source>Continue the text</source>
      <translation>Weiterschreiben</translation>
    </message>
    <message>
      <source>Continues a text, one token after another.</source>
      <translation>Setzt einen Text fort, ein Token nach dem anderen.</translation>
    </message>
    <message>
      <source>Conversation</source>
      <translation>Gespräch</translation>
    </message>
    <message>
      <source>Convert a checkpoint</source>
      <translation>Checkpoint umwandeln</translation>
    </message>
    <message>
      <source>Convert the chosen model …</source>
      <translation>Das gewählte Modell umwandeln …</translation>
    </message>
    <message>
      <source>Copied</source>
      <translation>Kopiert</translation>
    </message>
    <message>
      <source>Copies graphs, weights and tokenizer of {0} into a new bundle after checking that they fit together. The folder itself is not changed.</source>
      <translation>Kopiert Graphen, Gewichte und Tokenizer von {0} in ein neues Bundle, nachdem geprüft ist, dass sie zusammenpassen. Der Ordner selbst wird nicht geändert.</translation>
    </message>
    <message>
      <source>Copies of the bundles answer there; ssh leads a port of this machine to them.</source>
      <translation>Dort antworten Kopien der Bundles; ssh leitet einen Port dieses Rechners zu ihnen.</translation>
    </message>
    <message>
      <source>Copies the depths in colours</source>
      <translation>Kopiert die Tiefen in Farben</translation>
    </message>
    <message>
      <source>Copies the whole table</source>
      <translation>Kopiert die ganze Tabelle</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <source>Copy JSON</source>
      <translation>JSON kopieren</translation>
    </message>
    <message>
      <source>Copy a sample that asks the server</source>
      <translation>Ein Beispiel kopieren, das den Server fragt</translation>
    </message>
    <message>
      <source>Copy as JSON</source>
      <translation>Als JSON kopieren</translation>
    </message>
    <message>
      <source>Copy as Markdown</source>
      <translation>Als Markdown kopieren</translation>
    </message>
    <message>
      <source>Copy as TSV</source>
      <translation>Als TSV kopieren</translation>
    </message>
    <message>
      <source>Copy picture</source>
      <translation>Bild kopieren</translation>
    </message>
    <message>
      <source>Copy the address</source>
      <translation>Die Adresse kopieren</translation>
    </message>
    <message>
      <source>Copy the address of the server</source>
      <translation>Die Adresse des Servers kopieren</translation>
    </message>
    <message>
      <source>Copy the code</source>
      <translation>Code kopieren</translation>
    </message>
    <message>
      <source>Copy the command</source>
      <translation>Befehl kopieren</translation>
    </message>
    <message>
      <source>Copy the depths as a picture</source>
      <translation>Die Tiefen als Bild kopieren</translation>
    </message>
    <message>
      <source>Copy the details</source>
      <translation>Details kopieren</translation>
    </message>
    <message>
      <source>Copy the details (Ctrl+Shift+C)</source>
      <translation>Details kopieren (Strg+Umschalt+C)</translation>
    </message>
    <message>
      <source>Copy the labels as TSV</source>
      <translation>Die Labels als TSV kopieren</translation>
    </message>
    <message>
      <source>Copy the last reply</source>
      <translation>Letzte Antwort kopieren</translation>
    </message>
    <message>
      <source>Copy the log</source>
      <translation>Das Protokoll kopieren</translation>
    </message>
    <message>
      <source>Copy the sample in {0}</source>
      <translation>Das Beispiel in {0} kopieren</translation>
    </message>
    <message>
      <source>Copy the similarities as TSV</source>
      <translation>Ähnlichkeiten als TSV kopieren</translation>
    </message>
    <message>
      <source>Copy the text</source>
      <translation>Text kopieren</translation>
    </message>
    <message>
      <source>Copy the token</source>
      <translation>Das Token kopieren</translation>
    </message>
    <message>
      <source>Copy the token now: it is shown until the server starts, and saved nowhere.</source>
      <translation>Das Token jetzt kopieren: Es wird gezeigt, bis der Server startet, und nirgends gespeichert.</translation>
    </message>
    <message>
      <source>Copy versions and folder</source>
      <translation>Versionen und Ordner kopieren</translation>
    </message>
    <message>
      <source>Correct answers ÷ questions of the task.</source>
      <translation>Richtige Antworten ÷ Fragen der Aufgabe.</translation>
    </message>
    <message>
      <source>Cost</source>
      <translation>Kosten</translation>
    </message>
    <message>
      <source>Crash report</source>
      <translation>Absturzbericht</translation>
    </message>
    <message>
      <source>Created by onnxruntime: in no graph of the bundle.</source>
      <translation>Von onnxruntime gemacht: in keinem Graphen des Bundles.</translation>
    </message>
    <message>
      <source>Creative</source>
      <translation>Kreativ</translation>
    </message>
    <message>
      <source>Cross cache</source>
      <translation>Cross-Cache</translation>
    </message>
    <message>
      <source>Ctrl+C copies the chosen value as JSON.</source>
      <translation>Strg+C kopiert den gewählten Wert als JSON.</translation>
    </message>
    <message>
      <source>Ctrl+Tab  Ctrl+Shift+Tab</source>
      <translation>Strg+Tab  Strg+Umschalt+Tab</translation>
    </message>
    <message>
      <source>Current bundle: {0}</source>
      <translation>Aktuelles Bundle: {0}</translation>
    </message>
    <message>
      <source>Curves</source>
      <translation>Kurven</translation>
    </message>
    <message>
      <source>Custom</source>
      <translation>Eigene</translation>
    </message>
    <message>
      <source>Damaged</source>
      <translation>Beschädigt</translation>
    </message>
    <message>
      <source>Dark</source>
      <translation>Dunkel</translation>
    </message>
    <message>
      <source>Dask scheduler</source>
      <translation>Dask-Scheduler</translation>
    </message>
    <message>
      <source>Decode</source>
      <translation>Decode</translation>
    </message>
    <message>
      <source>Decode speed with drafts ÷ that without, measured in turns.</source>
      <translation>Dekodier-Geschwindigkeit mit Entwürfen ÷ der ohne, abwechselnd gemessen.</translation>
    </message>
    <message>
      <source>Decode speed ÷ the limit by memory bandwidth: read bandwidth ÷ bytes of weights, keys and values that a token reads. A benchmark measures the bandwidth.</source>
      <translation>Dekodier-Geschwindigkeit ÷ Grenze durch die Speicherbandbreite: Lesebandbreite ÷ Bytes der Gewichte, Keys und Values, die ein Token liest. Ein Benchmark misst die Bandbreite.</translation>
    </message>
    <message>
      <source>Decoder cache · {0}</source>
      <translation>Decoder-Cache · {0}</translation>
    </message>
    <message>
      <source>Decoding</source>
      <translation>Decodierung</translation>
    </message>
    <message>
      <source>Default folder of new bundles. Existing bundles stay where they are.</source>
      <translation>Vorgegebener Ordner neuer Bundles. Vorhandene bleiben, wo sie sind.</translation>
    </message>
    <message>
      <source>Default of the checkpoint</source>
      <translation>Wie der Checkpoint</translation>
    </message>
    <message>
      <source>Default provider of the chat, from the next start on. If it is not available, the CPU is used.</source>
      <translation>Vorgegebener Provider des Chats, ab dem nächsten Start. Ist er nicht verfügbar, gilt die CPU.</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Löschen</translation>
    </message>
    <message>
      <source>Delete the chat</source>
      <translation>Chat löschen</translation>
    </message>
    <message>
      <source>Delete the finished stages?</source>
      <translation>Fertige Stufen löschen?</translation>
    </message>
    <message>
      <source>Delete the measurements</source>
      <translation>Messungen löschen</translation>
    </message>
    <message>
      <source>Demo</source>
      <translation>Demo</translation>
    </message>
    <message>
      <source>Depths are computed</source>
      <translation>Tiefen werden berechnet</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>Details</translation>
    </message>
    <message>
      <source>Details of the selection</source>
      <translation>Details des Gewählten</translation>
    </message>
    <message>
      <source>Detect the language</source>
      <translation>Sprache erkennen</translation>
    </message>
    <message>
      <source>Devices</source>
      <translation>Geräte</translation>
    </message>
    <message>
      <source>Differs from the defaults</source>
      <translation>Weicht von der Vorgabe ab</translation>
    </message>
    <message>
      <source>Discard</source>
      <translation>Verwerfen</translation>
    </message>
    <message>
      <source>Discard {0}</source>
      <translation>{0} verwerfen</translation>
    </message>
    <message>
      <source>Disk</source>
      <translation>Festplatte</translation>
    </message>
    <message>
      <source>Disk space for finished build stages, which later builds of the same model reuse. The default is 20 GiB, but at most a quarter of the free space.</source>
      <translation>Speicherplatz für fertige Baustufen, die spätere Builds desselben Modells wiederverwenden. Vorgabe sind 20 GiB, aber höchstens ein Viertel des freien Platzes.</translation>
    </message>
    <message>
      <source>Dismiss</source>
      <translation>Ausblenden</translation>
    </message>
    <message>
      <source>Divergence: find</source>
      <translation>Abweichung: suchen</translation>
    </message>
    <message>
      <source>Divergence: show the node in the graph</source>
      <translation>Abweichung: Knoten im Graphen zeigen</translation>
    </message>
    <message>
      <source>Divides the logits; values above 1 flatten the distribution.</source>
      <translation>Teilt die Logits; Werte über 1 glätten die Verteilung.</translation>
    </message>
    <message>
      <source>Documentation</source>
      <translation>Dokumentation</translation>
    </message>
    <message>
      <source>Documentation pages</source>
      <translation>Seiten der Dokumentation</translation>
    </message>
    <message>
      <source>Done</source>
      <translation>Fertig</translation>
    </message>
    <message>
      <source>Double-click a run, or press Enter, to see its details.</source>
      <translation>Ein Doppelklick auf einen Lauf oder Eingabe zeigt seine Details.</translation>
    </message>
    <message>
      <source>Down (Alt+Down)</source>
      <translation>Nach unten (Alt+Ab)</translation>
    </message>
    <message>
      <source>Down projection: {0}</source>
      <translation>Down-Projektion: {0}</translation>
    </message>
    <message>
      <source>Download</source>
      <translation>Download</translation>
    </message>
    <message>
      <source>Downloaded from the Hugging Face hub</source>
      <translation>Vom Hugging-Face-Hub heruntergeladen</translation>
    </message>
    <message>
      <source>Downloading</source>
      <translation>Wird heruntergeladen</translation>
    </message>
    <message>
      <source>Downwards: nearer to the model. Green meets the goal, grey does not; the ring marks the built mix.</source>
      <translation>Nach unten: näher am Modell. Grün erreicht das Ziel, grau nicht; der Ring markiert die gebaute Mischung.</translation>
    </message>
    <message>
      <source>Drafts</source>
      <translation>Entwürfe</translation>
    </message>
    <message>
      <source>Drafts: {0}</source>
      <translation>Entwürfe: {0}</translation>
    </message>
    <message>
      <source>Drag, or Alt+Up and Alt+Down: move. Enter: edit the value. Del: remove.</source>
      <translation>Ziehen, oder Alt+Auf und Alt+Ab: verschieben. Enter: Wert ändern. Entf: entfernen.</translation>
    </message>
    <message>
      <source>Draw repeated layers as one</source>
      <translation>Schichten gleichen Baus als eine zeichnen</translation>
    </message>
    <message>
      <source>Draw this component or scope with Netron</source>
      <translation>Diese Komponente oder diesen Bereich mit Netron zeichnen</translation>
    </message>
    <message>
      <source>Draw with Netron</source>
      <translation>Mit Netron zeichnen</translation>
    </message>
    <message>
      <source>Drivers</source>
      <translation>Vom Host gesetzt</translation>
    </message>
    <message>
      <source>Drop a picture here, or choose one</source>
      <translation>Ein Bild hierher ziehen oder wählen</translation>
    </message>
    <message>
      <source>Drop an adapter's folder here</source>
      <translation>Ordner eines Adapters hier ablegen</translation>
    </message>
    <message>
      <source>Drop pictures here, or choose them</source>
      <translation>Bilder hierher ziehen oder wählen</translation>
    </message>
    <message>
      <source>Drop to compare them, or to put them together</source>
      <translation>Ablegen, um sie zu vergleichen oder zusammenzusetzen</translation>
    </message>
    <message>
      <source>Drop to open it</source>
      <translation>Ablegen, um es zu öffnen</translation>
    </message>
    <message>
      <source>Duration</source>
      <translation>Dauer</translation>
    </message>
    <message>
      <source>Each file needs a different name.</source>
      <translation>Jede Datei braucht einen anderen Namen.</translation>
    </message>
    <message>
      <source>Each graph holds the whole model, in the operators that its code has.</source>
      <translation>Jeder Graph enthält das ganze Modell, in den Operatoren, die sein Code hat.</translation>
    </message>
    <message>
      <source>Each request appears here with its tokens and its time, without its text.</source>
      <translation>Jede Anfrage erscheint hier mit ihren Tokens und ihrer Zeit, ohne ihren Text.</translation>
    </message>
    <message>
      <source>Each step has a default, so Next leads to the review and the build. Precision, cache and passes can be chosen on the way; a build that was stopped continues where it ended.</source>
      <translation>Jeder Schritt hat eine Vorgabe, daher führt Weiter zur Übersicht und zum Bau. Präzision, Cache und Passes lassen sich unterwegs wählen; ein angehaltener Bau geht dort weiter, wo er endete.</translation>
    </message>
    <message>
      <source>Each step of a reply appears here while it runs: latency, cache and memory.</source>
      <translation>Jeder Schritt einer Antwort erscheint hier, während sie läuft: Latenz, Cache und Speicher.</translation>
    </message>
    <message>
      <source>Each step reads only a few rows of the embedding, so that it costs bytes and no time.</source>
      <translation>Jeder Schritt liest nur wenige Zeilen des Embeddings; es kostet daher Bytes und keine Zeit.</translation>
    </message>
    <message>
      <source>Edit and resend, as a new branch</source>
      <translation>Bearbeiten und neu senden, als neuer Zweig</translation>
    </message>
    <message>
      <source>Edit recipe</source>
      <translation>Rezept bearbeiten</translation>
    </message>
    <message>
      <source>Edit the last prompt</source>
      <translation>Letzten Prompt bearbeiten</translation>
    </message>
    <message>
      <source>Edit the prompt</source>
      <translation>Prompt bearbeiten</translation>
    </message>
    <message>
      <source>Edit …</source>
      <translation>Bearbeiten …</translation>
    </message>
    <message>
      <source>Editing an earlier prompt: Enter sends it as a new branch, Esc cancels.</source>
      <translation>Ein früherer Prompt wird bearbeitet: Eingabe sendet ihn als neuen Zweig, Esc bricht ab.</translation>
    </message>
    <message>
      <source>EleutherAI's lm-eval asks the bundle and scores its answers. The data of its tasks come from the hub.</source>
      <translation>lm-eval von EleutherAI fragt das Bundle und bewertet seine Antworten. Die Daten der Aufgaben kommen vom Hub.</translation>
    </message>
    <message>
      <source>Embedding: {0}</source>
      <translation>Embedding: {0}</translation>
    </message>
    <message>
      <source>Embeddings, transformer and head as separate graphs, with 1×1 convolutions, fp16 cache and rotary positions inside.</source>
      <translation>Embeddings, Transformer und Head als getrennte Graphen, mit 1×1-Faltungen, fp16-Cache und Rotary-Positionen innen.</translation>
    </message>
    <message>
      <source>Encryption (TLS)</source>
      <translation>Verschlüsselung (TLS)</translation>
    </message>
    <message>
      <source>End it</source>
      <translation>Beenden</translation>
    </message>
    <message>
      <source>Ends the reply (Esc)</source>
      <translation>Beendet die Antwort (Esc)</translation>
    </message>
    <message>
      <source>Ends the requests that still run.</source>
      <translation>Beendet die Anfragen, die noch laufen.</translation>
    </message>
    <message>
      <source>Ends when</source>
      <translation>Endet, wenn</translation>
    </message>
    <message>
      <source>Enter</source>
      <translation>Eingabe</translation>
    </message>
    <message>
      <source>Enter sends, Shift+Enter starts a new line.</source>
      <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile.</translation>
    </message>
    <message>
      <source>Error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <source>Estimate</source>
      <translation>Schätzung</translation>
    </message>
    <message>
      <source>Estimate depth</source>
      <translation>Tiefe schätzen</translation>
    </message>
    <message>
      <source>Estimate depths with {0}</source>
      <translation>Tiefen schätzen mit {0}</translation>
    </message>
    <message>
      <source>Estimate the depth of a picture</source>
      <translation>Die Tiefe eines Bildes schätzen</translation>
    </message>
    <message>
      <source>Estimate the depths</source>
      <translation>Die Tiefen schätzen</translation>
    </message>
    <message>
      <source>Estimated from an earlier build on this machine.</source>
      <translation>Geschätzt nach einem früheren Bau auf diesem Rechner.</translation>
    </message>
    <message>
      <source>Estimated from {0} earlier builds on this machine.</source>
      <translation>Geschätzt nach {0} früheren Bauten auf diesem Rechner.</translation>
    </message>
    <message>
      <source>Estimating depths</source>
      <translation>Tiefen werden geschätzt</translation>
    </message>
    <message>
      <source>Estimating …</source>
      <translation>Wird geschätzt …</translation>
    </message>
    <message>
      <source>Every file was opened.</source>
      <translation>Jede Datei wurde geöffnet.</translation>
    </message>
    <message>
      <source>Every setting has its default.</source>
      <translation>Jede Einstellung hat ihre Vorgabe.</translation>
    </message>
    <message>
      <source>Every setting of the build; it can be edited, loaded and saved</source>
      <translation>Jede Einstellung des Baus; sie lässt sich ändern, laden und speichern</translation>
    </message>
    <message>
      <source>Everything (JSON) …</source>
      <translation>Alles (JSON) …</translation>
    </message>
    <message>
      <source>Exact</source>
      <translation>Exakt</translation>
    </message>
    <message>
      <source>Exact: a drafted token is accepted if the model samples the same one.</source>
      <translation>Exakt: Ein entworfenes Token wird genommen, wo das Modell selbst dasselbe zieht.</translation>
    </message>
    <message>
      <source>Exactness</source>
      <translation>Übereinstimmung</translation>
    </message>
    <message>
      <source>Examples</source>
      <translation>Beispiele</translation>
    </message>
    <message>
      <source>Expected</source>
      <translation>Erwartet</translation>
    </message>
    <message>
      <source>Expected and real figures</source>
      <translation>Erwartete und tatsächliche Werte</translation>
    </message>
    <message>
      <source>Expected rounding error of a weight: the step of its grid / √12.</source>
      <translation>Wie weit Runden ein Gewicht voraussichtlich verschiebt: die Stufe seines Rasters / √12.</translation>
    </message>
    <message>
      <source>Explain in two sentences what a neural network is.</source>
      <translation>Erkläre in zwei Sätzen, was ein neuronales Netz ist.</translation>
    </message>
    <message>
      <source>Export</source>
      <translation>Exportieren</translation>
    </message>
    <message>
      <source>Export and more</source>
      <translation>Export und mehr</translation>
    </message>
    <message>
      <source>Export for onnxruntime-genai</source>
      <translation>Für onnxruntime-genai exportieren</translation>
    </message>
    <message>
      <source>Export for onnxruntime-genai …</source>
      <translation>Für onnxruntime-genai exportieren …</translation>
    </message>
    <message>
      <source>Export measurements</source>
      <translation>Messungen exportieren</translation>
    </message>
    <message>
      <source>Export the bundle for onnxruntime-genai …</source>
      <translation>Bundle für onnxruntime-genai exportieren …</translation>
    </message>
    <message>
      <source>Export the measurements as CSV</source>
      <translation>Messungen als CSV exportieren</translation>
    </message>
    <message>
      <source>Export the measurements as PNG</source>
      <translation>Messungen als PNG exportieren</translation>
    </message>
    <message>
      <source>Export the measurements as SVG</source>
      <translation>Messungen als SVG exportieren</translation>
    </message>
    <message>
      <source>Export the report</source>
      <translation>Bericht exportieren</translation>
    </message>
    <message>
      <source>Export the runs</source>
      <translation>Läufe exportieren</translation>
    </message>
    <message>
      <source>Export the settings</source>
      <translation>Die Einstellungen exportieren</translation>
    </message>
    <message>
      <source>Export the settings …</source>
      <translation>Die Einstellungen exportieren …</translation>
    </message>
    <message>
      <source>Export this chat</source>
      <translation>Diesen Chat exportieren</translation>
    </message>
    <message>
      <source>Export …</source>
      <translation>Exportieren …</translation>
    </message>
    <message>
      <source>Exporting</source>
      <translation>Wird exportiert</translation>
    </message>
    <message>
      <source>FIFO: slides on, newest last</source>
      <translation>FIFO: gleitet weiter, Neuestes zuletzt</translation>
    </message>
    <message>
      <source>Failed after {0}</source>
      <translation>Fehlgeschlagen nach {0}</translation>
    </message>
    <message>
      <source>Failed steps again</source>
      <translation>Gescheiterte Schritte erneut</translation>
    </message>
    <message>
      <source>Family</source>
      <translation>Familie</translation>
    </message>
    <message>
      <source>Fast prompts</source>
      <translation>Schnelle Prompts</translation>
    </message>
    <message>
      <source>Figures</source>
      <translation>Zahlen</translation>
    </message>
    <message>
      <source>Figures of the run</source>
      <translation>Zahlen des Laufs</translation>
    </message>
    <message>
      <source>File of inputs</source>
      <translation>Datei der Eingaben</translation>
    </message>
    <message>
      <source>File of prompts, one per line</source>
      <translation>Datei mit Prompts, einer je Zeile</translation>
    </message>
    <message>
      <source>Files</source>
      <translation>Dateien</translation>
    </message>
    <message>
      <source>Filter</source>
      <translation>Filtern</translation>
    </message>
    <message>
      <source>Filter the runs</source>
      <translation>Läufe filtern</translation>
    </message>
    <message>
      <source>Find</source>
      <translation>Suchen</translation>
    </message>
    <message>
      <source>Find (Ctrl+F)</source>
      <translation>Suchen (Strg+F)</translation>
    </message>
    <message>
      <source>Find a shortcut</source>
      <translation>Tastenkürzel suchen</translation>
    </message>
    <message>
      <source>Find an action</source>
      <translation>Aktion suchen</translation>
    </message>
    <message>
      <source>Find an action (Ctrl+K)</source>
      <translation>Aktion finden (Strg+K)</translation>
    </message>
    <message>
      <source>Find nodes by name, operator or scope</source>
      <translation>Knoten nach Name, Operator oder Bereich suchen</translation>
    </message>
    <message>
      <source>Find the divergence</source>
      <translation>Abweichung suchen</translation>
    </message>
    <message>
      <source>Find the divergence of two runs …</source>
      <translation>Abweichung zweier Läufe suchen …</translation>
    </message>
    <message>
      <source>Find the first node whose values differ</source>
      <translation>Den ersten Knoten mit anderen Werten finden</translation>
    </message>
    <message>
      <source>Finding the divergence</source>
      <translation>Abweichung wird gesucht</translation>
    </message>
    <message>
      <source>Finish</source>
      <translation>Fertig</translation>
    </message>
    <message>
      <source>Finished stages can be saved; the Home page then offers to resume the build.</source>
      <translation>Fertige Stufen können gespeichert werden; die Startseite bietet dann an, den Bau fortzusetzen.</translation>
    </message>
    <message>
      <source>First layer: {0}</source>
      <translation>Erste Schicht: {0}</translation>
    </message>
    <message>
      <source>First values: {0}</source>
      <translation>Erste Werte: {0}</translation>
    </message>
    <message>
      <source>Fit</source>
      <translation>Einpassen</translation>
    </message>
    <message>
      <source>Fit the whole graph (0)</source>
      <translation>Ganzen Graphen einpassen (0)</translation>
    </message>
    <message>
      <source>Fit the whole picture (0)</source>
      <translation>Ganzes Bild einpassen (0)</translation>
    </message>
    <message>
      <source>Folder of Joinery there; empty: searched for</source>
      <translation>Ordner von Joinery dort; leer: wird gesucht</translation>
    </message>
    <message>
      <source>Folder of the results</source>
      <translation>Ordner der Ergebnisse</translation>
    </message>
    <message>
      <source>Folder or GGUF file</source>
      <translation>Ordner oder GGUF-Datei</translation>
    </message>
    <message>
      <source>For a bundle, this table lists what each pass changed and refused.</source>
      <translation>Ein Bundle sagt hier, was jeder Pass geändert und abgelehnt hat.</translation>
    </message>
    <message>
      <source>For a checkpoint whose tokenizer cannot be read: the bundle takes token ids alone.</source>
      <translation>Für einen Checkpoint, dessen Tokenizer nicht gelesen werden kann: Das Bundle nimmt nur Token-IDs an.</translation>
    </message>
    <message>
      <source>For several replies: the median of theirs.</source>
      <translation>Bei mehreren Antworten: der Median ihrer Werte.</translation>
    </message>
    <message>
      <source>For several runs: their median (lowest–highest).</source>
      <translation>Bei mehreren Läufen: ihr Median (niedrigster–höchster Wert).</translation>
    </message>
    <message>
      <source>Form</source>
      <translation>Form</translation>
    </message>
    <message>
      <source>Form of the reply</source>
      <translation>Form der Antwort</translation>
    </message>
    <message>
      <source>Free</source>
      <translation>Frei</translation>
    </message>
    <message>
      <source>Freeze</source>
      <translation>Einfrieren</translation>
    </message>
    <message>
      <source>Freeze the measurements</source>
      <translation>Messungen einfrieren</translation>
    </message>
    <message>
      <source>Frequency penalty</source>
      <translation>Häufigkeitsstrafe</translation>
    </message>
    <message>
      <source>From</source>
      <translation>Von</translation>
    </message>
    <message>
      <source>From the text so far (n-gram)</source>
      <translation>Aus dem bisherigen Text (n-Gramm)</translation>
    </message>
    <message>
      <source>From {0} m (dark) to {1} m (light)</source>
      <translation>Von {0} m (dunkel) bis {1} m (hell)</translation>
    </message>
    <message>
      <source>GGUF file</source>
      <translation>GGUF-Datei</translation>
    </message>
    <message>
      <source>GGUF models (*.gguf)</source>
      <translation>GGUF-Modelle (*.gguf)</translation>
    </message>
    <message>
      <source>GPU, NPU, QNN, DirectML, providers</source>
      <translation>GPU, NPU, QNN, DirectML, Provider</translation>
    </message>
    <message>
      <source>Generate from one prompt</source>
      <translation>Zu einer Eingabe antworten</translation>
    </message>
    <message>
      <source>Generated tokens after the first ÷ the time they took.</source>
      <translation>Erzeugte Tokens nach dem ersten ÷ ihre Dauer.</translation>
    </message>
    <message>
      <source>Generating</source>
      <translation>Antwort wird erzeugt</translation>
    </message>
    <message>
      <source>Given</source>
      <translation>Gegeben</translation>
    </message>
    <message>
      <source>Gives a picture's depth at each point.</source>
      <translation>Liefert zu jedem Punkt eines Bildes die Tiefe.</translation>
    </message>
    <message>
      <source>Gives a picture's scores for labels.</source>
      <translation>Liefert zu einem Bild die Bewertungen der Klassen.</translation>
    </message>
    <message>
      <source>Gives a text's scores for labels.</source>
      <translation>Liefert zu einem Text die Bewertungen der Klassen.</translation>
    </message>
    <message>
      <source>Gives each token's scores for labels.</source>
      <translation>Liefert zu jedem Token die Bewertungen der Klassen.</translation>
    </message>
    <message>
      <source>Gives the hidden states or vectors of a text.</source>
      <translation>Liefert die verborgenen Zustände oder Vektoren eines Textes.</translation>
    </message>
    <message>
      <source>Gives the picture to the model</source>
      <translation>Gibt das Bild an das Modell</translation>
    </message>
    <message>
      <source>Gives the pictures to the model</source>
      <translation>Gibt die Bilder an das Modell</translation>
    </message>
    <message>
      <source>Gives the texts to the model (Ctrl+Enter)</source>
      <translation>Gibt die Texte dem Modell (Strg+Eingabe)</translation>
    </message>
    <message>
      <source>Go to Chat</source>
      <translation>Zum Chat</translation>
    </message>
    <message>
      <source>Go to Home</source>
      <translation>Zur Startseite</translation>
    </message>
    <message>
      <source>Go to home</source>
      <translation>Zum Start</translation>
    </message>
    <message>
      <source>Go to {0}</source>
      <translation>Zu {0} gehen</translation>
    </message>
    <message>
      <source>Goal</source>
      <translation>Ziel</translation>
    </message>
    <message>
      <source>Goal: {0}. Reached: {1}, in {2} of weights instead of {3}.</source>
      <translation>Ziel: {0}. Erreicht: {1}, mit {2} Gewichten statt {3}.</translation>
    </message>
    <message>
      <source>Grammar</source>
      <translation>Grammatik</translation>
    </message>
    <message>
      <source>Graph</source>
      <translation>Graph</translation>
    </message>
    <message>
      <source>Graph before</source>
      <translation>Graph vorher</translation>
    </message>
    <message>
      <source>Graph {0}</source>
      <translation>Graph {0}</translation>
    </message>
    <message>
      <source>Graph: before and after side by side, or as one</source>
      <translation>Graph: vorher und nachher nebeneinander oder als einer</translation>
    </message>
    <message>
      <source>Graph: close every scope</source>
      <translation>Graph: alle Bereiche schließen</translation>
    </message>
    <message>
      <source>Graph: color by provider</source>
      <translation>Graph: nach Provider färben</translation>
    </message>
    <message>
      <source>Graph: color by time or bytes</source>
      <translation>Graph: nach Zeit oder Bytes färben</translation>
    </message>
    <message>
      <source>Graph: compare with another file …</source>
      <translation>Graph: mit einer anderen Datei vergleichen …</translation>
    </message>
    <message>
      <source>Graph: compare with the stage before</source>
      <translation>Graph: mit der vorigen Stufe vergleichen</translation>
    </message>
    <message>
      <source>Graph: copy the details</source>
      <translation>Graph: Details kopieren</translation>
    </message>
    <message>
      <source>Graph: draw repeated layers as one, or each</source>
      <translation>Graph: Schichten gleichen Baus als eine zeichnen oder jede für sich</translation>
    </message>
    <message>
      <source>Graph: draw with Netron</source>
      <translation>Graph: mit Netron zeichnen</translation>
    </message>
    <message>
      <source>Graph: find a node</source>
      <translation>Graph: Knoten suchen</translation>
    </message>
    <message>
      <source>Graph: next change</source>
      <translation>Graph: nächste Änderung</translation>
    </message>
    <message>
      <source>Graph: no comparison</source>
      <translation>Graph: kein Vergleich</translation>
    </message>
    <message>
      <source>Graph: open every scope</source>
      <translation>Graph: alle Bereiche öffnen</translation>
    </message>
    <message>
      <source>Graph: previous change</source>
      <translation>Graph: vorige Änderung</translation>
    </message>
    <message>
      <source>Graph: save the visible part as PNG …</source>
      <translation>Graph: Sichtbares als PNG speichern …</translation>
    </message>
    <message>
      <source>Graph: save the visible part as SVG …</source>
      <translation>Graph: Sichtbares als SVG speichern …</translation>
    </message>
    <message>
      <source>Graph: save the whole graph as PNG …</source>
      <translation>Graph: alles als PNG speichern …</translation>
    </message>
    <message>
      <source>Graph: save the whole graph as SVG …</source>
      <translation>Graph: alles als SVG speichern …</translation>
    </message>
    <message>
      <source>Graph: show or hide the changes</source>
      <translation>Graph: Änderungen zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Graph: show or hide the details</source>
      <translation>Graph: Details zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Graphs</source>
      <translation>Graphen</translation>
    </message>
    <message>
      <source>Greedy</source>
      <translation>Greedy</translation>
    </message>
    <message>
      <source>Greedy decoding gives the same reply again: a temperature above 0 gives others.</source>
      <translation>Ohne Zufall kommt dieselbe Antwort wieder: eine Temperatur über 0 ergibt andere.</translation>
    </message>
    <message>
      <source>Grey picture of 16 bits (*.png)</source>
      <translation>Graues Bild mit 16 Bit (*.png)</translation>
    </message>
    <message>
      <source>Group {0}</source>
      <translation>Gruppe {0}</translation>
    </message>
    <message>
      <source>Grouped-query attention</source>
      <translation>Grouped-Query-Attention</translation>
    </message>
    <message>
      <source>Growth of the difference</source>
      <translation>Wachstum der Abweichung</translation>
    </message>
    <message>
      <source>Growth of the difference along the depth</source>
      <translation>Wachstum der Abweichung über die Tiefe</translation>
    </message>
    <message>
      <source>HTML, Markdown, summary</source>
      <translation>HTML, Markdown, Zusammenfassung</translation>
    </message>
    <message>
      <source>Head and attention: same size</source>
      <translation>Kopf und Attention: gleiche Größe</translation>
    </message>
    <message>
      <source>Head and attention: {0}</source>
      <translation>Kopf und Attention: {0}</translation>
    </message>
    <message>
      <source>Help</source>
      <translation>Hilfe</translation>
    </message>
    <message>
      <source>Help for this page</source>
      <translation>Hilfe zu dieser Seite</translation>
    </message>
    <message>
      <source>Help for this page (F1)</source>
      <translation>Hilfe zu dieser Seite (F1)</translation>
    </message>
    <message>
      <source>Hide details</source>
      <translation>Details verbergen</translation>
    </message>
    <message>
      <source>Hide this card</source>
      <translation>Diese Karte ausblenden</translation>
    </message>
    <message>
      <source>Histogram from {0} to {1}, the highest bar counts {2}</source>
      <translation>Histogramm von {0} bis {1}, der höchste Balken zählt {2}</translation>
    </message>
    <message>
      <source>History</source>
      <translation>Verlauf</translation>
    </message>
    <message>
      <source>History: filter the runs</source>
      <translation>Verlauf: Läufe filtern</translation>
    </message>
    <message>
      <source>History: report on the bundle …</source>
      <translation>Verlauf: Bericht über das Bundle …</translation>
    </message>
    <message>
      <source>History: report on the selected runs …</source>
      <translation>Verlauf: Bericht über die gewählten Läufe …</translation>
    </message>
    <message>
      <source>Holds a conversation with the open bundle, token by token, and compares it with another bundle.</source>
      <translation>Führt ein Gespräch mit dem offenen Bundle, Token für Token, und vergleicht es mit einem anderen.</translation>
    </message>
    <message>
      <source>Home</source>
      <translation>Start</translation>
    </message>
    <message>
      <source>How a vector is made of the tokens', for a bundle that does not state it</source>
      <translation>Wie aus den Vektoren der Tokens einer wird, für ein Bundle, das es nicht angibt</translation>
    </message>
    <message>
      <source>How latency is drawn</source>
      <translation>Wie die Latenz gezeichnet wird</translation>
    </message>
    <message>
      <source>How long do eggs keep?</source>
      <translation>Wie lange halten sich Eier?</translation>
    </message>
    <message>
      <source>How many requests run and wait, and for how long.</source>
      <translation>Wie viele Anfragen laufen und warten, und wie lange.</translation>
    </message>
    <message>
      <source>How many texts a step continues, each with a cache of its own: for a server of several clients.</source>
      <translation>Wie viele Texte ein Schritt fortsetzt, jeder mit eigenem Cache: für einen Server mit mehreren Clients.</translation>
    </message>
    <message>
      <source>How ranges are measured</source>
      <translation>Wie Wertebereiche gemessen werden</translation>
    </message>
    <message>
      <source>How the model is divided, and how its cache is written; the target has chosen these.</source>
      <translation>Wie das Modell geteilt und wie sein Cache geschrieben wird; das Ziel hat dies gewählt.</translation>
    </message>
    <message>
      <source>How the weights are stored. Fewer bits make the bundle smaller and its answers less accurate.</source>
      <translation>Wie die Gewichte gespeichert werden. Weniger Bits machen das Bundle kleiner und seine Antworten weniger genau.</translation>
    </message>
    <message>
      <source>How weights are rounded</source>
      <translation>Wie Gewichte gerundet werden</translation>
    </message>
    <message>
      <source>Hub id</source>
      <translation>Hub-ID</translation>
    </message>
    <message>
      <source>I have read this code and allow it to run on this machine</source>
      <translation>Ich habe diesen Code gelesen und erlaube, dass er auf diesem Rechner läuft</translation>
    </message>
    <message>
      <source>IR version {0}</source>
      <translation>IR-Version {0}</translation>
    </message>
    <message>
      <source>Import</source>
      <translation>Importieren</translation>
    </message>
    <message>
      <source>Import a folder of onnxruntime-genai</source>
      <translation>Einen Ordner von onnxruntime-genai importieren</translation>
    </message>
    <message>
      <source>Import a folder of onnxruntime-genai …</source>
      <translation>Ordner von onnxruntime-genai importieren …</translation>
    </message>
    <message>
      <source>Import from onnxruntime-genai</source>
      <translation>Aus onnxruntime-genai importieren</translation>
    </message>
    <message>
      <source>Import into a bundle …</source>
      <translation>In ein Bundle importieren …</translation>
    </message>
    <message>
      <source>Import settings</source>
      <translation>Einstellungen importieren</translation>
    </message>
    <message>
      <source>Import settings …</source>
      <translation>Einstellungen importieren …</translation>
    </message>
    <message>
      <source>Import …</source>
      <translation>Importieren …</translation>
    </message>
    <message>
      <source>Importing</source>
      <translation>Wird importiert</translation>
    </message>
    <message>
      <source>In a layer</source>
      <translation>Je Schicht</translation>
    </message>
    <message>
      <source>In a shell of Linux or macOS.</source>
      <translation>In einer Shell von Linux oder macOS.</translation>
    </message>
    <message>
      <source>In all</source>
      <translation>Insgesamt</translation>
    </message>
    <message>
      <source>In {0}: difference {1}, largest value of A {2}.</source>
      <translation>In {0}: Abweichung {1}, größter Wert von A {2}.</translation>
    </message>
    <message>
      <source>Initializers · {0} · {1}</source>
      <translation>Initializer · {0} · {1}</translation>
    </message>
    <message>
      <source>Initializers: {0}.</source>
      <translation>Initializer: {0}.</translation>
    </message>
    <message>
      <source>Inputs</source>
      <translation>Eingaben</translation>
    </message>
    <message>
      <source>Inputs and outputs</source>
      <translation>Ein-/Ausgaben</translation>
    </message>
    <message>
      <source>Inputs and outputs of the run</source>
      <translation>Ein- und Ausgaben des Laufs</translation>
    </message>
    <message>
      <source>Inputs · {0}</source>
      <translation>Eingaben · {0}</translation>
    </message>
    <message>
      <source>Inspect</source>
      <translation>Ansehen</translation>
    </message>
    <message>
      <source>Inspect a graph's inputs, outputs and operators, or chat with a bundle.</source>
      <translation>Eingaben, Ausgaben und Operatoren eines Graphen ansehen oder mit einem Bundle chatten.</translation>
    </message>
    <message>
      <source>Inspect shows its graph and runs it on numbers; Measure shows its speed.</source>
      <translation>„Ansehen“ zeigt seinen Graphen und führt ihn mit Zahlen aus; „Messen“ zeigt seine Geschwindigkeit.</translation>
    </message>
    <message>
      <source>Inspect the graphs</source>
      <translation>Graphen untersuchen</translation>
    </message>
    <message>
      <source>Inspect what was built</source>
      <translation>Das Gebaute ansehen</translation>
    </message>
    <message>
      <source>Inspect {0}</source>
      <translation>{0} untersuchen</translation>
    </message>
    <message>
      <source>Inspect: read again</source>
      <translation>Untersuchen: neu lesen</translation>
    </message>
    <message>
      <source>Inspect: show or hide the components</source>
      <translation>Untersuchen: Komponenten zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Inspect: {0}</source>
      <translation>Untersuchen: {0}</translation>
    </message>
    <message>
      <source>Install</source>
      <translation>Installieren</translation>
    </message>
    <message>
      <source>Install them …</source>
      <translation>Installieren …</translation>
    </message>
    <message>
      <source>Install what building needs …</source>
      <translation>Installieren, was das Bauen braucht …</translation>
    </message>
    <message>
      <source>Install what building needs?</source>
      <translation>Installieren, was das Bauen braucht?</translation>
    </message>
    <message>
      <source>Install {0}</source>
      <translation>{0} installieren</translation>
    </message>
    <message>
      <source>Install {0}?</source>
      <translation>{0} installieren?</translation>
    </message>
    <message>
      <source>Installing</source>
      <translation>Wird installiert</translation>
    </message>
    <message>
      <source>Installing what building needs</source>
      <translation>Installiert, was das Bauen braucht</translation>
    </message>
    <message>
      <source>Into</source>
      <translation>Nach</translation>
    </message>
    <message>
      <source>It broke after a week, and nobody answers the phone.</source>
      <translation>Nach einer Woche war es kaputt, und niemand geht ans Telefon.</translation>
    </message>
    <message>
      <source>It ends.</source>
      <translation>Er endet.</translation>
    </message>
    <message>
      <source>It has ended before its last step; Start sweep goes on.</source>
      <translation>Sie endete vor ihrem letzten Schritt; „Versuchsreihe starten“ setzt sie fort.</translation>
    </message>
    <message>
      <source>It is for {0}, which the server has no route for.</source>
      <translation>Es ist für {0}; dafür hat der Server keine Route.</translation>
    </message>
    <message>
      <source>It is the bundle itself: nothing would differ.</source>
      <translation>Das ist das Bundle selbst: nichts wäre anders.</translation>
    </message>
    <message>
      <source>It needs about {0} of disk, and {1} are free.</source>
      <translation>Es braucht etwa {0} Platz auf dem Datenträger, {1} sind frei.</translation>
    </message>
    <message>
      <source>It runs in another process.</source>
      <translation>Sie läuft in einem anderen Prozess.</translation>
    </message>
    <message>
      <source>It waits for one request that runs, 30 s at most.</source>
      <translation>Er wartet auf eine laufende Anfrage, höchstens 30 s.</translation>
    </message>
    <message>
      <source>It waits for {0} requests that run, 30 s at most.</source>
      <translation>Er wartet auf {0} laufende Anfragen, höchstens 30 s.</translation>
    </message>
    <message>
      <source>Its depths appear here.</source>
      <translation>Seine Tiefen erscheinen hier.</translation>
    </message>
    <message>
      <source>Its memory is free until the next request.</source>
      <translation>Sein Speicher ist bis zur nächsten Anfrage frei.</translation>
    </message>
    <message>
      <source>Its number of tokens is open: a chunk of the prompt, or one token of a reply.</source>
      <translation>Seine Zahl von Tokens ist offen: ein Stück des Prompts oder ein Token einer Antwort.</translation>
    </message>
    <message>
      <source>JSON (*.json)</source>
      <translation>JSON (*.json)</translation>
    </message>
    <message>
      <source>JSON (*.json);;All files (*)</source>
      <translation>JSON (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>JSON schema</source>
      <translation>JSON-Schema</translation>
    </message>
    <message>
      <source>Joinery ended unexpectedly twice in a row, so the last chat was not opened automatically.</source>
      <translation>Joinery endete zweimal hintereinander unerwartet, darum wurde der letzte Chat nicht von selbst geöffnet.</translation>
    </message>
    <message>
      <source>Joinery sends no telemetry and disables onnxruntime's. It connects to the network only on request: for a model from the hub or a provider's plugin.</source>
      <translation>Joinery sendet keine Telemetrie und schaltet die von onnxruntime ab. Es verbindet sich nur auf Anforderung mit dem Netz: für ein Modell vom Hub oder das Plugin eines Providers.</translation>
    </message>
    <message>
      <source>Joinery there</source>
      <translation>Joinery dort</translation>
    </message>
    <message>
      <source>Joinery {0}, Python {1}, {2} · {3} free, {4} of copies · runs on {5}</source>
      <translation>Joinery {0}, Python {1}, {2} · {3} frei, {4} Kopien · läuft auf {5}</translation>
    </message>
    <message>
      <source>Joinery's window ended by a fault on {0}.</source>
      <translation>Joinerys Fenster ist am {0} abgestürzt.</translation>
    </message>
    <message>
      <source>Joins the logits of several models.</source>
      <translation>Verbindet die Logits mehrerer Modelle.</translation>
    </message>
    <message>
      <source>KL</source>
      <translation>KL</translation>
    </message>
    <message>
      <source>KL divergence, largest</source>
      <translation>KL-Divergenz, größte</translation>
    </message>
    <message>
      <source>KL divergence, mean</source>
      <translation>KL-Divergenz, Mittel</translation>
    </message>
    <message>
      <source>KL without all of these</source>
      <translation>KL ohne all diese</translation>
    </message>
    <message>
      <source>KL without {0}</source>
      <translation>KL ohne {0}</translation>
    </message>
    <message>
      <source>KL {0} nats</source>
      <translation>KL {0} nats</translation>
    </message>
    <message>
      <source>KV cache</source>
      <translation>KV-Cache</translation>
    </message>
    <message>
      <source>KV cache of an open bundle</source>
      <translation>KV-Cache eines offenen Bundles</translation>
    </message>
    <message>
      <source>KV cache per token</source>
      <translation>KV-Cache je Token</translation>
    </message>
    <message>
      <source>KV cache {0} per token</source>
      <translation>KV-Cache {0} je Token</translation>
    </message>
    <message>
      <source>KV cache: follow live</source>
      <translation>KV-Cache: live folgen</translation>
    </message>
    <message>
      <source>KV cache: load a prompt cache …</source>
      <translation>KV-Cache: Prompt-Cache laden …</translation>
    </message>
    <message>
      <source>KV cache: rewind …</source>
      <translation>KV-Cache: zurückspulen …</translation>
    </message>
    <message>
      <source>KV cache: save the prompt cache …</source>
      <translation>KV-Cache: Prompt-Cache speichern …</translation>
    </message>
    <message>
      <source>KV cache: walk through the steps</source>
      <translation>KV-Cache: durch die Schritte gehen</translation>
    </message>
    <message>
      <source>Keep it for later</source>
      <translation>Für später behalten</translation>
    </message>
    <message>
      <source>Key (PEM)</source>
      <translation>Schlüssel (PEM)</translation>
    </message>
    <message>
      <source>Keyboard shortcuts</source>
      <translation>Tastenkürzel</translation>
    </message>
    <message>
      <source>Keys</source>
      <translation>Tasten</translation>
    </message>
    <message>
      <source>Keys and values in 8-bit integers</source>
      <translation>Schlüssel und Werte als 8-Bit-Ganzzahlen</translation>
    </message>
    <message>
      <source>Keys on this page</source>
      <translation>Tasten auf dieser Seite</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Art</translation>
    </message>
    <message>
      <source>Known on the CPU after a benchmark of this bundle, which measures the bandwidth of the processor.</source>
      <translation>Auf der CPU nach einem Benchmark dieses Bundles bekannt, der die Bandbreite des Prozessors misst.</translation>
    </message>
    <message>
      <source>Kullback–Leibler divergence of the bundle's token distribution from the reference's, mean over all positions.</source>
      <translation>Kullback-Leibler-Divergenz der Token-Verteilung des Bundles von der der Referenz, Mittel über alle Positionen.</translation>
    </message>
    <message>
      <source>Label</source>
      <translation>Label</translation>
    </message>
    <message>
      <source>Label texts, spans of texts, or pictures</source>
      <translation>Texte, Textstellen oder Bilder klassifizieren</translation>
    </message>
    <message>
      <source>Labelling pictures</source>
      <translation>Bilder werden zugeordnet</translation>
    </message>
    <message>
      <source>Labels are computed</source>
      <translation>Labels werden berechnet</translation>
    </message>
    <message>
      <source>Labels of the pictures</source>
      <translation>Labels der Bilder</translation>
    </message>
    <message>
      <source>Labels of the texts</source>
      <translation>Labels der Texte</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>Sprache</translation>
    </message>
    <message>
      <source>Language of the recording</source>
      <translation>Sprache der Aufnahme</translation>
    </message>
    <message>
      <source>Language of the window, from the next start on.</source>
      <translation>Sprache des Fensters, ab dem nächsten Start.</translation>
    </message>
    <message>
      <source>Languages</source>
      <translation>Sprachen</translation>
    </message>
    <message>
      <source>Larger (+)</source>
      <translation>Größer (+)</translation>
    </message>
    <message>
      <source>Largest body</source>
      <translation>Größte Anfrage</translation>
    </message>
    <message>
      <source>Lark grammar</source>
      <translation>Lark-Grammatik</translation>
    </message>
    <message>
      <source>Lark grammars (*.lark);;All files (*)</source>
      <translation>Lark-Grammatiken (*.lark);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Last 10 s</source>
      <translation>Letzte 10 s</translation>
    </message>
    <message>
      <source>Last layer: {0}</source>
      <translation>Letzte Schicht: {0}</translation>
    </message>
    <message>
      <source>Last made or changed by: {0}</source>
      <translation>Zuletzt erzeugt oder geändert durch: {0}</translation>
    </message>
    <message>
      <source>Last reply</source>
      <translation>Letzte Antwort</translation>
    </message>
    <message>
      <source>Last speed</source>
      <translation>Letztes Tempo</translation>
    </message>
    <message>
      <source>Last year Siemens opened an office in Nairobi.</source>
      <translation>Letztes Jahr eröffnete Siemens ein Büro in Nairobi.</translation>
    </message>
    <message>
      <source>Latency of each token of the selected runs</source>
      <translation>Latenz jedes Tokens der gewählten Läufe</translation>
    </message>
    <message>
      <source>Latency, cache and memory over time</source>
      <translation>Latenz, Cache und Speicher über der Zeit</translation>
    </message>
    <message>
      <source>Latency, tokens per step, cache and memory over time</source>
      <translation>Latenz, Tokens je Schritt, Cache und Speicher über der Zeit</translation>
    </message>
    <message>
      <source>Layers</source>
      <translation>Schichten</translation>
    </message>
    <message>
      <source>Layers (CSV) …</source>
      <translation>Schichten (CSV) …</translation>
    </message>
    <message>
      <source>Least</source>
      <translation>Kleinstes</translation>
    </message>
    <message>
      <source>Least information lost (entropy)</source>
      <translation>Geringster Informationsverlust (Entropie)</translation>
    </message>
    <message>
      <source>Leave the tour</source>
      <translation>Die Tour verlassen</translation>
    </message>
    <message>
      <source>Length penalty</source>
      <translation>Längenstrafe</translation>
    </message>
    <message>
      <source>Length to go back to</source>
      <translation>Länge, auf die zurückgegangen wird</translation>
    </message>
    <message>
      <source>Let bundles answer other programs</source>
      <translation>Bundles anderen Programmen antworten lassen</translation>
    </message>
    <message>
      <source>Lets bundles answer other programs with OpenAI's interface, and shows the requests as they run, the queue and the cache.</source>
      <translation>Lässt Bundles anderen Programmen mit der Schnittstelle von OpenAI antworten und zeigt laufende Anfragen, die Warteschlange und den Cache.</translation>
    </message>
    <message>
      <source>Light</source>
      <translation>Hell</translation>
    </message>
    <message>
      <source>Light is near, dark is far; the numbers ({0} to {1}) have no unit</source>
      <translation>Hell ist nah, dunkel ist fern; die Zahlen ({0} bis {1}) haben keine Einheit</translation>
    </message>
    <message>
      <source>Light, dark, or the system's choice.</source>
      <translation>Hell, dunkel oder wie das System.</translation>
    </message>
    <message>
      <source>Limit in the last benchmark of this bundle: {0}.</source>
      <translation>Grenze im letzten Benchmark dieses Bundles: {0}.</translation>
    </message>
    <message>
      <source>Limits</source>
      <translation>Grenzen</translation>
    </message>
    <message>
      <source>Limits of the choice, repetition, seed, stop strings</source>
      <translation>Grenzen der Auswahl, Wiederholung, Startwert, Stopptexte</translation>
    </message>
    <message>
      <source>Line</source>
      <translation>Zeile</translation>
    </message>
    <message>
      <source>Line numbers</source>
      <translation>Zeilennummern</translation>
    </message>
    <message>
      <source>Line {0}, column {1}: {2}.</source>
      <translation>Zeile {0}, Spalte {1}: {2}.</translation>
    </message>
    <message>
      <source>Line {0}: {1}</source>
      <translation>Zeile {0}: {1}</translation>
    </message>
    <message>
      <source>Line {0}: {1}.</source>
      <translation>Zeile {0}: {1}.</translation>
    </message>
    <message>
      <source>Lines by similarity</source>
      <translation>Zeilen nach Ähnlichkeit</translation>
    </message>
    <message>
      <source>Link the weights instead of copying them</source>
      <translation>Gewichte verknüpfen statt kopieren</translation>
    </message>
    <message>
      <source>List the execution providers</source>
      <translation>Die Execution Provider auflisten</translation>
    </message>
    <message>
      <source>Listening at {0}</source>
      <translation>Erreichbar unter {0}</translation>
    </message>
    <message>
      <source>Lists recent bundles. From here you can convert a checkpoint, try the demo or open a file.</source>
      <translation>Führt die letzten Bundles auf. Von hier aus kann ein Checkpoint umgewandelt, die Demo ausprobiert oder eine Datei geöffnet werden.</translation>
    </message>
    <message>
      <source>Lists the devices of this machine that can run bundles, and what is missing for the others.</source>
      <translation>Führt die Geräte dieses Rechners auf, die Bundles ausführen können, und was den anderen fehlt.</translation>
    </message>
    <message>
      <source>Live</source>
      <translation>Live</translation>
    </message>
    <message>
      <source>Load a prompt cache</source>
      <translation>Prompt-Cache laden</translation>
    </message>
    <message>
      <source>Load a recipe</source>
      <translation>Rezept laden</translation>
    </message>
    <message>
      <source>Load a recipe …</source>
      <translation>Rezept laden …</translation>
    </message>
    <message>
      <source>Loaded 1 token from {1}.</source>
      <translation>1 Token aus {1} geladen.</translation>
    </message>
    <message>
      <source>Loaded {0} tokens from {1}.</source>
      <translation>{0} Tokens aus {1} geladen.</translation>
    </message>
    <message>
      <source>Loading the charts …</source>
      <translation>Die Diagramme werden geladen …</translation>
    </message>
    <message>
      <source>Load…</source>
      <translation>Laden…</translation>
    </message>
    <message>
      <source>Locate {0}</source>
      <translation>{0} suchen</translation>
    </message>
    <message>
      <source>Locate …</source>
      <translation>Suchen …</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>Protokoll</translation>
    </message>
    <message>
      <source>Log of the build</source>
      <translation>Protokoll des Baus</translation>
    </message>
    <message>
      <source>Log of the server</source>
      <translation>Protokoll des Servers</translation>
    </message>
    <message>
      <source>Logarithmic scale</source>
      <translation>Logarithmische Skala</translation>
    </message>
    <message>
      <source>Logit bias</source>
      <translation>Logit-Zuschlag</translation>
    </message>
    <message>
      <source>Longest context</source>
      <translation>Längster Kontext</translation>
    </message>
    <message>
      <source>Longest request</source>
      <translation>Längste Anfrage</translation>
    </message>
    <message>
      <source>Look</source>
      <translation>Prüfen</translation>
    </message>
    <message>
      <source>Look again</source>
      <translation>Neu ermitteln</translation>
    </message>
    <message>
      <source>Looking at processor, memory and devices …</source>
      <translation>Prozessor, Speicher und Geräte werden ermittelt …</translation>
    </message>
    <message>
      <source>Looking at this machine</source>
      <translation>Dieser Rechner wird betrachtet</translation>
    </message>
    <message>
      <source>Loss by layer</source>
      <translation>Verlust nach Schicht</translation>
    </message>
    <message>
      <source>Loss of each layer, as one minus the cosine</source>
      <translation>Verlust jeder Schicht, als eins minus Kosinus</translation>
    </message>
    <message>
      <source>Loudness of the microphone</source>
      <translation>Lautstärke des Mikrofons</translation>
    </message>
    <message>
      <source>Machine</source>
      <translation>Rechner</translation>
    </message>
    <message>
      <source>Machine of {0}</source>
      <translation>Rechner von {0}</translation>
    </message>
    <message>
      <source>Machines …</source>
      <translation>Rechner …</translation>
    </message>
    <message>
      <source>Made by {0}</source>
      <translation>Gemacht von {0}</translation>
    </message>
    <message>
      <source>Make a plan …</source>
      <translation>Plan erstellen …</translation>
    </message>
    <message>
      <source>Make a token</source>
      <translation>Token erzeugen</translation>
    </message>
    <message>
      <source>Make another token</source>
      <translation>Anderes Token erzeugen</translation>
    </message>
    <message>
      <source>Make room on the disk first.</source>
      <translation>Zuerst auf dem Datenträger Platz schaffen.</translation>
    </message>
    <message>
      <source>Make vectors of texts, and compare them</source>
      <translation>Vektoren von Texten erzeugen und vergleichen</translation>
    </message>
    <message>
      <source>Makes a text of another one.</source>
      <translation>Macht aus einem Text einen anderen.</translation>
    </message>
    <message>
      <source>Makes earlier tokens less likely; 1 is off.</source>
      <translation>Macht frühere Tokens unwahrscheinlicher; 1 ist aus.</translation>
    </message>
    <message>
      <source>Marie Curie moved from Warsaw to Paris.</source>
      <translation>Marie Curie zog von Warschau nach Paris.</translation>
    </message>
    <message>
      <source>Max new tokens</source>
      <translation>Höchstzahl neuer Tokens</translation>
    </message>
    <message>
      <source>Maximum of new tokens per prompt</source>
      <translation>Höchstzahl neuer Tokens je Prompt</translation>
    </message>
    <message>
      <source>Mean</source>
      <translation>Mittel</translation>
    </message>
    <message>
      <source>Measure</source>
      <translation>Messen</translation>
    </message>
    <message>
      <source>Measure again</source>
      <translation>Noch einmal messen</translation>
    </message>
    <message>
      <source>Measure it</source>
      <translation>Messen</translation>
    </message>
    <message>
      <source>Measure latencies, speeds and memory</source>
      <translation>Latenzen, Tempo und Speicher messen</translation>
    </message>
    <message>
      <source>Measure that colors the graph</source>
      <translation>Wonach der Graph gefärbt ist</translation>
    </message>
    <message>
      <source>Measure the nodes</source>
      <translation>Knoten messen</translation>
    </message>
    <message>
      <source>Measure the speed</source>
      <translation>Das Tempo messen</translation>
    </message>
    <message>
      <source>Measure: show all runs</source>
      <translation>Messen: alle Läufe zeigen</translation>
    </message>
    <message>
      <source>Measure: show the last reply</source>
      <translation>Messen: letzte Antwort zeigen</translation>
    </message>
    <message>
      <source>Measure: show this bundle's runs</source>
      <translation>Messen: Läufe dieses Bundles zeigen</translation>
    </message>
    <message>
      <source>Measures the speed and accuracy of the open bundle: latency of every step, cache and memory during generation, and differences to another bundle or its checkpoint.</source>
      <translation>Misst Tempo und Genauigkeit des offenen Bundles: Latenz jedes Schritts, Cache und Speicher während des Erzeugens und Abweichungen von einem anderen Bundle oder seinem Checkpoint.</translation>
    </message>
    <message>
      <source>Measures the speed of the bundle in front; the run appears in the history.</source>
      <translation>Misst die Geschwindigkeit des geöffneten Bundles; der Lauf erscheint im Verlauf.</translation>
    </message>
    <message>
      <source>Measuring</source>
      <translation>Wird gemessen</translation>
    </message>
    <message>
      <source>Measuring the nodes</source>
      <translation>Knoten werden gemessen</translation>
    </message>
    <message>
      <source>Median</source>
      <translation>Median</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Speicher</translation>
    </message>
    <message>
      <source>Memory while building</source>
      <translation>Speicher beim Bauen</translation>
    </message>
    <message>
      <source>Merged into the weights</source>
      <translation>In die Gewichte eingerechnet</translation>
    </message>
    <message>
      <source>Message of: {0}</source>
      <translation>Nachricht von: {0}</translation>
    </message>
    <message>
      <source>Min-p</source>
      <translation>Min-p</translation>
    </message>
    <message>
      <source>Minimum length</source>
      <translation>Mindestlänge</translation>
    </message>
    <message>
      <source>Missing</source>
      <translation>Fehlt</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Model type</source>
      <translation>Modelltyp</translation>
    </message>
    <message>
      <source>Models that fit</source>
      <translation>Passende Modelle</translation>
    </message>
    <message>
      <source>More</source>
      <translation>Mehr</translation>
    </message>
    <message>
      <source>More actions for {0}</source>
      <translation>Mehr Aktionen für {0}</translation>
    </message>
    <message>
      <source>Most</source>
      <translation>Größtes</translation>
    </message>
    <message>
      <source>Mu: settings in five languages; includes Python code</source>
      <translation>Mu: Einstellungen in fünf Sprachen; enthält Python-Code</translation>
    </message>
    <message>
      <source>NaN, infinite</source>
      <translation>NaN, unendlich</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>Name</translation>
    </message>
    <message>
      <source>Name of the preset</source>
      <translation>Name der Vorlage</translation>
    </message>
    <message>
      <source>Name of {0} for clients</source>
      <translation>Name von {0} für Clients</translation>
    </message>
    <message>
      <source>Neither bundle lists its layers.</source>
      <translation>Keines der Bundles führt seine Schichten auf.</translation>
    </message>
    <message>
      <source>Netron</source>
      <translation>Netron</translation>
    </message>
    <message>
      <source>Netron is being started</source>
      <translation>Netron wird gestartet</translation>
    </message>
    <message>
      <source>Netron's view needs Qt WebEngine, which cannot be loaded ({0}): install what Debian calls {1}.</source>
      <translation>Netrons Ansicht braucht Qt WebEngine, das sich nicht laden lässt ({0}): zu installieren ist, was bei Debian {1} heißt.</translation>
    </message>
    <message>
      <source>Netron, after</source>
      <translation>Netron, nachher</translation>
    </message>
    <message>
      <source>Netron, before</source>
      <translation>Netron, vorher</translation>
    </message>
    <message>
      <source>New chat</source>
      <translation>Neuer Chat</translation>
    </message>
    <message>
      <source>New chat (Ctrl+N)</source>
      <translation>Neuer Chat (Strg+N)</translation>
    </message>
    <message>
      <source>New tokens</source>
      <translation>Neue Tokens</translation>
    </message>
    <message>
      <source>Next</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <source>Next change (])</source>
      <translation>Nächste Änderung (])</translation>
    </message>
    <message>
      <source>Next match (n)</source>
      <translation>Nächster Treffer (n)</translation>
    </message>
    <message>
      <source>Next stage</source>
      <translation>Nächste Stufe</translation>
    </message>
    <message>
      <source>Next version</source>
      <translation>Nächste Fassung</translation>
    </message>
    <message>
      <source>No KV cache</source>
      <translation>Kein KV-Cache</translation>
    </message>
    <message>
      <source>No action and no recent bundle has these words.</source>
      <translation>Keine Aktion und kein zuletzt benutztes Bundle enthält diese Wörter.</translation>
    </message>
    <message>
      <source>No build is running</source>
      <translation>Kein Bau läuft</translation>
    </message>
    <message>
      <source>No bundle is open</source>
      <translation>Kein Bundle ist offen</translation>
    </message>
    <message>
      <source>No bundles yet</source>
      <translation>Noch keine Bundles</translation>
    </message>
    <message>
      <source>No chat contains these words.</source>
      <translation>Kein Chat hat diese Wörter.</translation>
    </message>
    <message>
      <source>No chat template: the model continues the text written so far.</source>
      <translation>Keine Chat-Vorlage: das Modell setzt den bisherigen Text fort.</translation>
    </message>
    <message>
      <source>No chats so far.</source>
      <translation>Noch keine Chats.</translation>
    </message>
    <message>
      <source>No comparison</source>
      <translation>Kein Vergleich</translation>
    </message>
    <message>
      <source>No comparison yet</source>
      <translation>Noch kein Vergleich</translation>
    </message>
    <message>
      <source>No device was reported</source>
      <translation>Kein Gerät wurde gemeldet</translation>
    </message>
    <message>
      <source>No divergence: the outputs of all nodes are equal within rounding.</source>
      <translation>Keine Abweichung: die Ausgaben aller Knoten sind bis auf Rundung gleich.</translation>
    </message>
    <message>
      <source>No graph here has past and present tensors.</source>
      <translation>Keiner dieser Graphen hat Past- und Present-Tensoren.</translation>
    </message>
    <message>
      <source>No graph is shown.</source>
      <translation>Kein Graph wird gezeigt.</translation>
    </message>
    <message>
      <source>No measurements of {0} yet</source>
      <translation>Noch keine Messungen von {0}</translation>
    </message>
    <message>
      <source>No measurements yet</source>
      <translation>Noch keine Messungen</translation>
    </message>
    <message>
      <source>No node differs between the two graphs.</source>
      <translation>Kein Knoten unterscheidet die beiden Graphen.</translation>
    </message>
    <message>
      <source>No other layer evens out its errors.</source>
      <translation>Keine andere Schicht gleicht ihre Fehler aus.</translation>
    </message>
    <message>
      <source>No other machine reaches this address, and clients need no token.</source>
      <translation>Kein anderer Rechner erreicht diese Adresse, und Clients brauchen kein Token.</translation>
    </message>
    <message>
      <source>No passes are recorded</source>
      <translation>Keine Passes sind aufgezeichnet</translation>
    </message>
    <message>
      <source>No passes for this model</source>
      <translation>Keine Passes für dieses Modell</translation>
    </message>
    <message>
      <source>No picture</source>
      <translation>Kein Bild</translation>
    </message>
    <message>
      <source>No picture yet</source>
      <translation>Noch kein Bild</translation>
    </message>
    <message>
      <source>No points: measure the speed of a bundle and compare its accuracy first.</source>
      <translation>Keine Punkte: zuerst das Tempo eines Bundles messen und seine Genauigkeit vergleichen.</translation>
    </message>
    <message>
      <source>No recent bundles</source>
      <translation>Keine letzten Bundles</translation>
    </message>
    <message>
      <source>No repeated n-gram</source>
      <translation>Kein n-Gramm zweimal</translation>
    </message>
    <message>
      <source>No request runs.</source>
      <translation>Keine Anfrage läuft.</translation>
    </message>
    <message>
      <source>No request yet</source>
      <translation>Noch keine Anfrage</translation>
    </message>
    <message>
      <source>No runs yet</source>
      <translation>Noch keine Läufe</translation>
    </message>
    <message>
      <source>No search yet</source>
      <translation>Noch keine Suche</translation>
    </message>
    <message>
      <source>No sequence of n tokens occurs twice.</source>
      <translation>Keine Folge von n Tokens kommt zweimal vor.</translation>
    </message>
    <message>
      <source>No steps of {0}</source>
      <translation>Keine Schritte von {0}</translation>
    </message>
    <message>
      <source>No sweep yet</source>
      <translation>Noch keine Versuchsreihe</translation>
    </message>
    <message>
      <source>No weight of this graph is quantized.</source>
      <translation>Kein Gewicht dieses Graphen ist quantisiert.</translation>
    </message>
    <message>
      <source>No worker running</source>
      <translation>Kein Worker läuft</translation>
    </message>
    <message>
      <source>Node</source>
      <translation>Knoten</translation>
    </message>
    <message>
      <source>Nodes</source>
      <translation>Knoten</translation>
    </message>
    <message>
      <source>Nodes compared: {0}; tokens: {1}.</source>
      <translation>Verglichene Knoten: {0}; Tokens: {1}.</translation>
    </message>
    <message>
      <source>Nodes of the session, after onnxruntime's own fusions and constant folding: their number differs from that of the graph's file.</source>
      <translation>Knoten der Sitzung, nachdem onnxruntime selbst Knoten verschmolzen und Konstanten berechnet hat: Ihre Zahl weicht von der in der Datei des Graphen ab.</translation>
    </message>
    <message>
      <source>Nodes on the CPU</source>
      <translation>Knoten auf der CPU</translation>
    </message>
    <message>
      <source>Nodes on {0}</source>
      <translation>Knoten auf {0}</translation>
    </message>
    <message>
      <source>Nodes that are not quantized</source>
      <translation>Knoten, die nicht quantisiert werden</translation>
    </message>
    <message>
      <source>Nodes that were compared</source>
      <translation>Knoten, die verglichen wurden</translation>
    </message>
    <message>
      <source>Nodes, most expensive first</source>
      <translation>Knoten, die teuersten zuerst</translation>
    </message>
    <message>
      <source>None</source>
      <translation>Nichts</translation>
    </message>
    <message>
      <source>None of the well-known models fits the free memory.</source>
      <translation>Keines der bekannten Modelle passt in den freien Speicher.</translation>
    </message>
    <message>
      <source>None: the model alone</source>
      <translation>Keiner: das Modell allein</translation>
    </message>
    <message>
      <source>Not available: {0}.</source>
      <translation>Nicht verfügbar: {0}.</translation>
    </message>
    <message>
      <source>Not checked yet: a check runs one chunk and one step, and shows which nodes run on the provider.</source>
      <translation>Noch nicht versucht: eine Prüfung führt einen Block und einen Schritt aus und sagt, welche Knoten der Provider nimmt.</translation>
    </message>
    <message>
      <source>Not everything here is at its default.</source>
      <translation>Nicht alles hier steht auf seiner Vorgabe.</translation>
    </message>
    <message>
      <source>Not for this build: {0}.</source>
      <translation>Nicht für diesen Build: {0}.</translation>
    </message>
    <message>
      <source>Not for this model: {0}.</source>
      <translation>Nicht für dieses Modell: {0}.</translation>
    </message>
    <message>
      <source>Not for {0}: {1}.</source>
      <translation>Nicht für {0}: {1}.</translation>
    </message>
    <message>
      <source>Not measured yet: a measurement runs three chunks and eight steps in a separate process.</source>
      <translation>Noch nicht gemessen: drei Blöcke und acht Schritte laufen in einem eigenen Prozess.</translation>
    </message>
    <message>
      <source>Not opened yet: {0}</source>
      <translation>Noch nicht geöffnet: {0}</translation>
    </message>
    <message>
      <source>Not with a quality goal: it is measured with keys and values in floats.</source>
      <translation>Nicht mit einem Qualitätsziel: Es wird mit Schlüsseln und Werten in Gleitkommazahlen gemessen.</translation>
    </message>
    <message>
      <source>Nothing</source>
      <translation>Nichts</translation>
    </message>
    <message>
      <source>Nothing chosen yet</source>
      <translation>Noch nichts gewählt</translation>
    </message>
    <message>
      <source>Nothing to inspect yet</source>
      <translation>Noch nichts zu untersuchen</translation>
    </message>
    <message>
      <source>NumPy files (*.npz)</source>
      <translation>NumPy-Dateien (*.npz)</translation>
    </message>
    <message>
      <source>Number of builds, generations and measurements in the history. Older ones are removed at each start.</source>
      <translation>Zahl der Builds, Generierungen und Messungen im Verlauf. Ältere werden bei jedem Start entfernt.</translation>
    </message>
    <message>
      <source>Numbers for numpy (*.npy)</source>
      <translation>Zahlen für numpy (*.npy)</translation>
    </message>
    <message>
      <source>ONNX files (*.onnx)</source>
      <translation>ONNX-Dateien (*.onnx)</translation>
    </message>
    <message>
      <source>ONNX graphs (*.onnx)</source>
      <translation>ONNX-Graphen (*.onnx)</translation>
    </message>
    <message>
      <source>Of a bundle that was built for several (batch); each step continues all of them.</source>
      <translation>Von einem Bundle, das für mehrere gebaut wurde (batch); jeder Schritt setzt alle fort.</translation>
    </message>
    <message>
      <source>Of each bundle; one more is refused with 429.</source>
      <translation>Je Bundle; eine weitere wird mit 429 abgelehnt.</translation>
    </message>
    <message>
      <source>Of the well-known models, the largest that fit: {0}.</source>
      <translation>Die größten der bekannten Modelle, die passen: {0}.</translation>
    </message>
    <message>
      <source>Of {0}</source>
      <translation>Von {0}</translation>
    </message>
    <message>
      <source>Off</source>
      <translation>Aus</translation>
    </message>
    <message>
      <source>One address of this machine …</source>
      <translation>Eine Adresse dieses Rechners …</translation>
    </message>
    <message>
      <source>One graph for a chunk and one for a token, which share their weights: for providers of fixed shapes.</source>
      <translation>Ein Graph für ein Stück und einer für ein Token, die ihre Gewichte teilen: für Provider mit festen Formen.</translation>
    </message>
    <message>
      <source>One graph for prompt and decoding</source>
      <translation>Ein Graph für Prompt und Decode</translation>
    </message>
    <message>
      <source>One of several values</source>
      <translation>Einer von mehreren Werten</translation>
    </message>
    <message>
      <source>One of several words</source>
      <translation>Eines von mehreren Wörtern</translation>
    </message>
    <message>
      <source>One request runs.</source>
      <translation>Eine Anfrage läuft.</translation>
    </message>
    <message>
      <source>One run</source>
      <translation>Ein Lauf</translation>
    </message>
    <message>
      <source>One slot per token up to the capacity; a full cache ends the reply.</source>
      <translation>Ein Slot je Token bis zur Kapazität; ein voller Cache beendet die Antwort.</translation>
    </message>
    <message>
      <source>Only different answers</source>
      <translation>Nur verschiedene Antworten</translation>
    </message>
    <message>
      <source>Only graphs of the open bundle can be checked.</source>
      <translation>Nur die Graphen des offenen Bundles können versucht werden.</translation>
    </message>
    <message>
      <source>Only the CPU is available here: the Devices page says how to add another provider.</source>
      <translation>Nur die CPU ist hier benutzbar: die Seite Geräte sagt, was einen anderen Provider brächte.</translation>
    </message>
    <message>
      <source>Only the k most probable tokens.</source>
      <translation>Nur die k wahrscheinlichsten Tokens.</translation>
    </message>
    <message>
      <source>Only the k most probable tokens; 0 is off.</source>
      <translation>Nur die k wahrscheinlichsten Tokens; 0 ist aus.</translation>
    </message>
    <message>
      <source>Only the most probable tokens that together reach p.</source>
      <translation>Nur die wahrscheinlichsten Tokens, die zusammen p erreichen.</translation>
    </message>
    <message>
      <source>Only the most probable tokens that together reach p; 1 is off.</source>
      <translation>Nur die wahrscheinlichsten Tokens, die zusammen p erreichen; 1 ist aus.</translation>
    </message>
    <message>
      <source>Only the tokens whose information is nearest to the entropy.</source>
      <translation>Nur die Tokens, deren Information der Entropie am nächsten ist.</translation>
    </message>
    <message>
      <source>Only this downloads files. They are saved in the Hugging Face cache of this machine.</source>
      <translation>Nur dies lädt Dateien herunter. Sie werden im Hugging-Face-Cache dieses Rechners gespeichert.</translation>
    </message>
    <message>
      <source>Only tokens at least this probable relative to the best.</source>
      <translation>Nur Tokens, die mindestens so wahrscheinlich sind, gemessen am besten.</translation>
    </message>
    <message>
      <source>Only tokens at least this probable relative to the best; 0 is off.</source>
      <translation>Nur Tokens, die gegenüber dem besten mindestens so wahrscheinlich sind; 0 ist aus.</translation>
    </message>
    <message>
      <source>Only tokens that match a grammar.</source>
      <translation>Nur Tokens, die zu einer Grammatik passen.</translation>
    </message>
    <message>
      <source>Only tokens that match this form are generated.</source>
      <translation>Nur Tokens, die zu dieser Form passen, werden erzeugt.</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>Öffnen</translation>
    </message>
    <message>
      <source>Open Joinery's folder</source>
      <translation>Joinerys Ordner öffnen</translation>
    </message>
    <message>
      <source>Open a bundle</source>
      <translation>Bundle öffnen</translation>
    </message>
    <message>
      <source>Open a bundle and ask a question. The chips above the prompt say what the next reply is made with; a click on one opens its setting. Point at a word of a reply to see its token and the alternatives.</source>
      <translation>Ein Bundle öffnen und etwas fragen. Die Chips über dem Prompt sagen, womit die nächste Antwort entsteht; ein Klick öffnet ihre Einstellung. Auf ein Wort einer Antwort zeigen, um sein Token und die Alternativen zu sehen.</translation>
    </message>
    <message>
      <source>Open a bundle first; the Home page lists recent bundles.</source>
      <translation>Zuerst ein Bundle öffnen; die Startseite führt die letzten auf.</translation>
    </message>
    <message>
      <source>Open a bundle to measure its speed.</source>
      <translation>Ein Bundle öffnen, um seine Geschwindigkeit zu messen.</translation>
    </message>
    <message>
      <source>Open a bundle you have built, or convert the demo in a minute. The chat appears here.</source>
      <translation>Ein gebautes Bundle öffnen oder in einer Minute die Demo umwandeln. Der Chat erscheint hier.</translation>
    </message>
    <message>
      <source>Open a bundle …</source>
      <translation>Bundle öffnen …</translation>
    </message>
    <message>
      <source>Open a bundle, or .onnx files with Ctrl+O (two are compared). Double-click a box to open it, click a node for its attributes and values.</source>
      <translation>Ein Bundle öffnen, oder .onnx-Dateien mit Strg+O (zwei werden verglichen). Ein Doppelklick öffnet einen Kasten, ein Klick auf einen Knoten zeigt Attribute und Werte.</translation>
    </message>
    <message>
      <source>Open a bundle, or drop one .onnx file here, or two to compare them: the page shows graphs, cache and passes.</source>
      <translation>Ein Bundle öffnen oder eine .onnx-Datei hier ablegen, oder zwei zum Vergleichen: Graphen, Cache und Passes werden gezeigt.</translation>
    </message>
    <message>
      <source>Open a copy</source>
      <translation>Kopie öffnen</translation>
    </message>
    <message>
      <source>Open a file</source>
      <translation>Datei öffnen</translation>
    </message>
    <message>
      <source>Open a file …</source>
      <translation>Datei öffnen …</translation>
    </message>
    <message>
      <source>Open a session</source>
      <translation>Sitzung öffnen</translation>
    </message>
    <message>
      <source>Open an ONNX file</source>
      <translation>ONNX-Datei öffnen</translation>
    </message>
    <message>
      <source>Open an ONNX file or bundle</source>
      <translation>ONNX-Datei oder Bundle öffnen</translation>
    </message>
    <message>
      <source>Open an ONNX file, or choose two to compare</source>
      <translation>Eine ONNX-Datei öffnen, oder zwei zum Vergleich wählen</translation>
    </message>
    <message>
      <source>Open bundle</source>
      <translation>Bundle öffnen</translation>
    </message>
    <message>
      <source>Open each file first: Read the code …</source>
      <translation>Zuerst jede Datei öffnen: Code lesen …</translation>
    </message>
    <message>
      <source>Open in the browser?</source>
      <translation>Im Browser öffnen?</translation>
    </message>
    <message>
      <source>Open or close</source>
      <translation>Öffnen oder schließen</translation>
    </message>
    <message>
      <source>Open or compare ONNX files …</source>
      <translation>ONNX-Dateien öffnen oder vergleichen …</translation>
    </message>
    <message>
      <source>Open the folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <source>Open the last chat</source>
      <translation>Letzten Chat öffnen</translation>
    </message>
    <message>
      <source>Open {0}</source>
      <translation>{0} öffnen</translation>
    </message>
    <message>
      <source>Opened milk should be used within three days.</source>
      <translation>Geöffnete Milch sollte man in drei Tagen verbrauchen.</translation>
    </message>
    <message>
      <source>Opening both …</source>
      <translation>Beide werden geöffnet …</translation>
    </message>
    <message>
      <source>Opening the bundle</source>
      <translation>Das Bundle wird geöffnet</translation>
    </message>
    <message>
      <source>Opening the bundle …</source>
      <translation>Das Bundle wird geöffnet …</translation>
    </message>
    <message>
      <source>Opening {0} on {1} …</source>
      <translation>{0} wird auf {1} geöffnet …</translation>
    </message>
    <message>
      <source>Opening {0} on {1} … the driver may need minutes to compile new graphs.</source>
      <translation>{0} wird auf {1} geöffnet … der Treiber braucht zum Kompilieren neuer Graphen eventuell Minuten.</translation>
    </message>
    <message>
      <source>Opens the address in a browser.</source>
      <translation>Öffnet die Adresse in einem Browser.</translation>
    </message>
    <message>
      <source>Operator</source>
      <translation>Operator</translation>
    </message>
    <message>
      <source>Operators</source>
      <translation>Operatoren</translation>
    </message>
    <message>
      <source>Operators whose counts differ</source>
      <translation>Operatoren mit anderer Anzahl</translation>
    </message>
    <message>
      <source>Opset {0}</source>
      <translation>Opset {0}</translation>
    </message>
    <message>
      <source>Optimization passes over the graphs, in this order. The defaults fit the target; you can skip this page.</source>
      <translation>Optimierungspasses über die Graphen, in dieser Reihenfolge. Die Vorgaben passen zum Ziel; diese Seite kann übersprungen werden.</translation>
    </message>
    <message>
      <source>Optimize</source>
      <translation>Optimieren</translation>
    </message>
    <message>
      <source>Optional: adapters of PEFT (LoRA, DoRA), which the build merges into the weights or keeps beside them. They have their full effect with a scale of 1.</source>
      <translation>Optional: Adapter von PEFT (LoRA, DoRA), die der Build in die Gewichte einrechnet oder neben ihnen behält. Mit der Skalierung 1 wirken sie voll.</translation>
    </message>
    <message>
      <source>Or try an example</source>
      <translation>Oder ein Beispiel probieren</translation>
    </message>
    <message>
      <source>Other machines</source>
      <translation>Andere Rechner</translation>
    </message>
    <message>
      <source>Other machines reach it by this machine's name or address, with the token.</source>
      <translation>Andere Rechner erreichen ihn unter dem Namen oder der Adresse dieses Rechners, mit dem Token.</translation>
    </message>
    <message>
      <source>Other machines, too</source>
      <translation>Auch von anderen Rechnern</translation>
    </message>
    <message>
      <source>Other programs used {0} of the processor: time the formats again when it is idle.</source>
      <translation>Andere Programme belegten {0} des Prozessors: die Formate erneut messen, wenn er frei ist.</translation>
    </message>
    <message>
      <source>Others</source>
      <translation>Weitere</translation>
    </message>
    <message>
      <source>Others can reach this address: make a token, which clients must send.</source>
      <translation>Andere können diese Adresse erreichen: ein Token erzeugen, das Clients senden müssen.</translation>
    </message>
    <message>
      <source>Output</source>
      <translation>Ausgabe</translation>
    </message>
    <message>
      <source>Output folder</source>
      <translation>Ausgabeordner</translation>
    </message>
    <message>
      <source>Output head: {0}</source>
      <translation>Ausgabekopf: {0}</translation>
    </message>
    <message>
      <source>Outputs</source>
      <translation>Ausgaben</translation>
    </message>
    <message>
      <source>Outputs · {0}</source>
      <translation>Ausgaben · {0}</translation>
    </message>
    <message>
      <source>Over the last two seconds, of all requests together.</source>
      <translation>Über die letzten zwei Sekunden, von allen Anfragen zusammen.</translation>
    </message>
    <message>
      <source>Overview of the graph</source>
      <translation>Überblick über den Graphen</translation>
    </message>
    <message>
      <source>PEM files (*.pem *.crt *.key);;All files (*)</source>
      <translation>PEM-Dateien (*.pem *.crt *.key);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Panel of changes</source>
      <translation>Feld mit den Änderungen</translation>
    </message>
    <message>
      <source>Panel of details</source>
      <translation>Feld mit den Details</translation>
    </message>
    <message>
      <source>Panels at the right (Ctrl+I)</source>
      <translation>Bereiche rechts (Strg+I)</translation>
    </message>
    <message>
      <source>Panels of the graph</source>
      <translation>Bereiche neben dem Graphen</translation>
    </message>
    <message>
      <source>Parameters</source>
      <translation>Parameter</translation>
    </message>
    <message>
      <source>Part</source>
      <translation>Teil</translation>
    </message>
    <message>
      <source>Pass</source>
      <translation>Pass</translation>
    </message>
    <message>
      <source>Passes</source>
      <translation>Passes</translation>
    </message>
    <message>
      <source>Paste texts, one in each line</source>
      <translation>Texte einfügen, einen in jede Zeile</translation>
    </message>
    <message>
      <source>Path</source>
      <translation>Pfad</translation>
    </message>
    <message>
      <source>Path of the folder or the GGUF file</source>
      <translation>Pfad des Ordners oder der GGUF-Datei</translation>
    </message>
    <message>
      <source>Pause {0}</source>
      <translation>{0} anhalten</translation>
    </message>
    <message>
      <source>Peak memory</source>
      <translation>Spitzenspeicher</translation>
    </message>
    <message>
      <source>Percentile lines of prefill instead of decode</source>
      <translation>Perzentillinien von Prefill statt von Decode</translation>
    </message>
    <message>
      <source>Perplexity of the prompts under the bundle.</source>
      <translation>Perplexität der Prompts unter dem Bundle.</translation>
    </message>
    <message>
      <source>Phase that was measured</source>
      <translation>Phase, die gemessen wurde</translation>
    </message>
    <message>
      <source>Picture</source>
      <translation>Bild</translation>
    </message>
    <message>
      <source>Picture (PNG) …</source>
      <translation>Bild (PNG) …</translation>
    </message>
    <message>
      <source>Picture (SVG) …</source>
      <translation>Bild (SVG) …</translation>
    </message>
    <message>
      <source>Picture in colours (*.png)</source>
      <translation>Bild in Farben (*.png)</translation>
    </message>
    <message>
      <source>Picture {0}</source>
      <translation>Bild {0}</translation>
    </message>
    <message>
      <source>Pictures</source>
      <translation>Bilder</translation>
    </message>
    <message>
      <source>Pictures (*.svg)</source>
      <translation>Bilder (*.svg)</translation>
    </message>
    <message>
      <source>Pictures (*{0})</source>
      <translation>Bilder (*{0})</translation>
    </message>
    <message>
      <source>Pictures and recordings included.</source>
      <translation>Mit Bildern und Aufnahmen.</translation>
    </message>
    <message>
      <source>Pipeline file (optional)</source>
      <translation>Pipeline-Datei (freiwillig)</translation>
    </message>
    <message>
      <source>Plan</source>
      <translation>Plan</translation>
    </message>
    <message>
      <source>Plan of a sweep</source>
      <translation>Plan einer Versuchsreihe</translation>
    </message>
    <message>
      <source>Plans (*.toml)</source>
      <translation>Pläne (*.toml)</translation>
    </message>
    <message>
      <source>Plans (*.toml);;All (*)</source>
      <translation>Pläne (*.toml);;Alle (*)</translation>
    </message>
    <message>
      <source>Play {0}</source>
      <translation>{0} abspielen</translation>
    </message>
    <message>
      <source>Plugins that bundles may name</source>
      <translation>Plugins, die Bundles nennen können</translation>
    </message>
    <message>
      <source>Point at a slot, or use the arrow keys.</source>
      <translation>Auf einen Slot zeigen oder die Pfeiltasten benutzen.</translation>
    </message>
    <message>
      <source>Point at a step to see its token. Drag or turn the wheel to zoom, double-click to reset the zoom; arrow keys move from step to step.</source>
      <translation>Auf einen Schritt zeigen, um sein Token zu sehen. Ziehen oder Mausrad vergrößert, Doppelklick setzt den Zoom zurück; Pfeiltasten gehen von Schritt zu Schritt.</translation>
    </message>
    <message>
      <source>Points</source>
      <translation>Punkte</translation>
    </message>
    <message>
      <source>Pooling</source>
      <translation>Pooling</translation>
    </message>
    <message>
      <source>Pooling of the bundle</source>
      <translation>Pooling des Bundles</translation>
    </message>
    <message>
      <source>Port</source>
      <translation>Port</translation>
    </message>
    <message>
      <source>Positions at which the bundle and the reference rank the same token first ÷ all positions.</source>
      <translation>Positionen, an denen Bundle und Referenz dasselbe Token an die erste Stelle setzen ÷ alle Positionen.</translation>
    </message>
    <message>
      <source>Possible lengths: {0}.</source>
      <translation>Längen, auf die er zurückgehen kann: {0}.</translation>
    </message>
    <message>
      <source>Precision</source>
      <translation>Präzision</translation>
    </message>
    <message>
      <source>Precisions</source>
      <translation>Präzisionen</translation>
    </message>
    <message>
      <source>Prefill</source>
      <translation>Prefill</translation>
    </message>
    <message>
      <source>Prefill chunk</source>
      <translation>Prefill-Block</translation>
    </message>
    <message>
      <source>Prefill difference</source>
      <translation>Abweichung Prefill</translation>
    </message>
    <message>
      <source>Presence penalty</source>
      <translation>Vorkommensstrafe</translation>
    </message>
    <message>
      <source>Preset</source>
      <translation>Vorlage</translation>
    </message>
    <message>
      <source>Press Start: the open bundle is served on this machine. Copy a sample and run it; its request appears under Requests. Stop lets the requests that run finish; the server ends with the window.</source>
      <translation>Auf Starten drücken: Das offene Bundle antwortet auf diesem Rechner. Ein Beispiel kopieren und ausführen; seine Anfrage erscheint unter Anfragen. Anhalten lässt laufende Anfragen fertig werden; der Server endet mit dem Fenster.</translation>
    </message>
    <message>
      <source>Previous change ([)</source>
      <translation>Vorige Änderung ([)</translation>
    </message>
    <message>
      <source>Previous match (N)</source>
      <translation>Voriger Treffer (N)</translation>
    </message>
    <message>
      <source>Previous version</source>
      <translation>Vorige Fassung</translation>
    </message>
    <message>
      <source>Privacy</source>
      <translation>Datenschutz</translation>
    </message>
    <message>
      <source>Probability</source>
      <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
      <source>Producer</source>
      <translation>Erzeuger</translation>
    </message>
    <message>
      <source>Programs on this machine reach it over ssh; {0} answers.</source>
      <translation>Programme auf diesem Rechner erreichen ihn über ssh; {0} antwortet.</translation>
    </message>
    <message>
      <source>Programs on this machine reach it.</source>
      <translation>Programme auf diesem Rechner erreichen ihn.</translation>
    </message>
    <message>
      <source>Progress of reading the source</source>
      <translation>Fortschritt des Lesens der Quelle</translation>
    </message>
    <message>
      <source>Progress of the benchmark</source>
      <translation>Fortschritt des Benchmarks</translation>
    </message>
    <message>
      <source>Progress of the build</source>
      <translation>Fortschritt des Baus</translation>
    </message>
    <message>
      <source>Progress of the comparison</source>
      <translation>Fortschritt des Vergleichs</translation>
    </message>
    <message>
      <source>Progress of the measurement</source>
      <translation>Wie weit die Messung ist</translation>
    </message>
    <message>
      <source>Progress of the sweep</source>
      <translation>Fortschritt der Versuchsreihe</translation>
    </message>
    <message>
      <source>Progress of the tasks</source>
      <translation>Fortschritt der Aufgaben</translation>
    </message>
    <message>
      <source>Progress of {0}</source>
      <translation>Fortschritt von {0}</translation>
    </message>
    <message>
      <source>Prompt</source>
      <translation>Prompt</translation>
    </message>
    <message>
      <source>Prompt caches (*{0})</source>
      <translation>Prompt-Caches (*{0})</translation>
    </message>
    <message>
      <source>Prompt of {0} tokens, reply of {1} tokens</source>
      <translation>Prompt von {0} Tokens, Antwort von {1} Tokens</translation>
    </message>
    <message>
      <source>Prompt tokens</source>
      <translation>Prompt-Tokens</translation>
    </message>
    <message>
      <source>Prompt tokens that a reply reads, without those already in the cache ÷ its time to first token.</source>
      <translation>Prompt-Tokens, die eine Antwort liest, ohne die schon im Cache stehenden ÷ Zeit bis zu ihrem ersten Token.</translation>
    </message>
    <message>
      <source>Prompt tokens that one prefill run reads.</source>
      <translation>Tokens des Prompts, die ein Prefill-Lauf liest.</translation>
    </message>
    <message>
      <source>Prompts</source>
      <translation>Prompts</translation>
    </message>
    <message>
      <source>Prompts (*.txt *.jsonl);;All files (*)</source>
      <translation>Prompts (*.txt *.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Prompts go in runs of {0} tokens.</source>
      <translation>Prompts laufen in Stücken von {0} Tokens durch.</translation>
    </message>
    <message>
      <source>Prompts run through a graph of their own with 8-bit products: faster, and more than twice the size.</source>
      <translation>Prompts laufen durch einen eigenen Graphen mit 8-Bit-Produkten: schneller, und mehr als doppelt so groß.</translation>
    </message>
    <message>
      <source>Proposes tokens for a masked place.</source>
      <translation>Schlägt Tokens für eine maskierte Stelle vor.</translation>
    </message>
    <message>
      <source>Provider</source>
      <translation>Provider</translation>
    </message>
    <message>
      <source>Provider of {0}</source>
      <translation>Provider von {0}</translation>
    </message>
    <message>
      <source>Provider that colors the graph</source>
      <translation>Provider, nach dem der Graph gefärbt ist</translation>
    </message>
    <message>
      <source>Provider to measure on</source>
      <translation>Provider, auf dem gemessen wird</translation>
    </message>
    <message>
      <source>Providers</source>
      <translation>Provider</translation>
    </message>
    <message>
      <source>Providers, separated by commas</source>
      <translation>Provider, durch Kommas getrennt</translation>
    </message>
    <message>
      <source>Puts example texts in the field</source>
      <translation>Setzt Beispieltexte in das Feld</translation>
    </message>
    <message>
      <source>Python, C++, C#, curl, onnxruntime, code</source>
      <translation>Python, C++, C#, curl, onnxruntime, Code, Beispiel</translation>
    </message>
    <message>
      <source>Qt Multimedia cannot be loaded ({0}): install the package pyside6-addons.</source>
      <translation>Qt Multimedia kann nicht geladen werden ({0}): das Paket pyside6-addons installieren.</translation>
    </message>
    <message>
      <source>Quality measure</source>
      <translation>Qualitätsmaß</translation>
    </message>
    <message>
      <source>Quantize</source>
      <translation>Quantisieren</translation>
    </message>
    <message>
      <source>Query</source>
      <translation>Anfrage</translation>
    </message>
    <message>
      <source>Quit</source>
      <translation>Beenden</translation>
    </message>
    <message>
      <source>Qwen3 draft: a small model that proposes tokens for the chat</source>
      <translation>Qwen3-Entwurf: ein kleines Modell, das Tokens für den Chat vorschlägt</translation>
    </message>
    <message>
      <source>Qwen3.5: the same chat; three of four layers keep state of fixed size</source>
      <translation>Qwen3.5: derselbe Chat; drei von vier Schichten halten einen Zustand fester Größe</translation>
    </message>
    <message>
      <source>Qwen3: a chat about sums, capitals and opposites</source>
      <translation>Qwen3: ein Chat über Summen, Hauptstädte und Gegenteile</translation>
    </message>
    <message>
      <source>Random numbers, or an .npz file</source>
      <translation>Zufallszahlen, oder eine .npz-Datei</translation>
    </message>
    <message>
      <source>Rank</source>
      <translation>Rang</translation>
    </message>
    <message>
      <source>Rank texts by their score for a query</source>
      <translation>Texte nach ihrer Wertung für eine Anfrage ordnen</translation>
    </message>
    <message>
      <source>Rank texts with {0}</source>
      <translation>Texte mit {0} ordnen</translation>
    </message>
    <message>
      <source>Rank the texts by how well they answer</source>
      <translation>Die Texte danach ordnen, wie gut sie antworten</translation>
    </message>
    <message>
      <source>Rank them</source>
      <translation>Ordnen</translation>
    </message>
    <message>
      <source>Ranks the quantized nodes by the accuracy that each would gain in full precision; needs one run per node.</source>
      <translation>Ordnet die quantisierten Knoten nach der Genauigkeit, die jeder in voller Präzision brächte; braucht einen Lauf je Knoten.</translation>
    </message>
    <message>
      <source>Raw eggs last about four weeks in the refrigerator.</source>
      <translation>Rohe Eier halten sich im Kühlschrank etwa vier Wochen.</translation>
    </message>
    <message>
      <source>Reachable from</source>
      <translation>Erreichbar</translation>
    </message>
    <message>
      <source>Read again</source>
      <translation>Neu lesen</translation>
    </message>
    <message>
      <source>Read how to run a bundle without Joinery</source>
      <translation>Lesen, wie ein Bundle ohne Joinery läuft</translation>
    </message>
    <message>
      <source>Read the code …</source>
      <translation>Code lesen …</translation>
    </message>
    <message>
      <source>Read the weights</source>
      <translation>Gewichte lesen</translation>
    </message>
    <message>
      <source>Read the weights again</source>
      <translation>Gewichte noch einmal lesen</translation>
    </message>
    <message>
      <source>Reading</source>
      <translation>Wird gelesen</translation>
    </message>
    <message>
      <source>Reading every file …</source>
      <translation>Jede Datei wird gelesen …</translation>
    </message>
    <message>
      <source>Reading its values …</source>
      <translation>Seine Werte werden gelesen …</translation>
    </message>
    <message>
      <source>Reading the plan …</source>
      <translation>Der Plan wird gelesen …</translation>
    </message>
    <message>
      <source>Reading the prompt …</source>
      <translation>Der Prompt wird gelesen …</translation>
    </message>
    <message>
      <source>Reading the recording …</source>
      <translation>Die Aufnahme wird gelesen …</translation>
    </message>
    <message>
      <source>Reading {0}</source>
      <translation>{0} wird gelesen</translation>
    </message>
    <message>
      <source>Reading {0} …</source>
      <translation>{0} wird gelesen …</translation>
    </message>
    <message>
      <source>Reading …</source>
      <translation>Wird gelesen …</translation>
    </message>
    <message>
      <source>Reads every file and compares it with the manifest</source>
      <translation>Liest jede Datei und vergleicht sie mit dem Manifest</translation>
    </message>
    <message>
      <source>Ready</source>
      <translation>Bereit</translation>
    </message>
    <message>
      <source>Real</source>
      <translation>Tatsächlich</translation>
    </message>
    <message>
      <source>Recent bundles</source>
      <translation>Letzte Bundles</translation>
    </message>
    <message>
      <source>Recipe</source>
      <translation>Rezept</translation>
    </message>
    <message>
      <source>Recipe as JSON</source>
      <translation>Rezept als JSON</translation>
    </message>
    <message>
      <source>Recipe of the bundle</source>
      <translation>Rezept des Bundles</translation>
    </message>
    <message>
      <source>Recipes (*.json)</source>
      <translation>Rezepte (*.json)</translation>
    </message>
    <message>
      <source>Recipes (*.json);;All files (*)</source>
      <translation>Rezepte (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Recommended</source>
      <translation>Empfohlen</translation>
    </message>
    <message>
      <source>Record</source>
      <translation>Aufnehmen</translation>
    </message>
    <message>
      <source>Recording values to compare</source>
      <translation>Zeichnet Werte für den Vergleich auf</translation>
    </message>
    <message>
      <source>Recording {0}</source>
      <translation>Aufnahme {0}</translation>
    </message>
    <message>
      <source>Recordings</source>
      <translation>Aufnahmen</translation>
    </message>
    <message>
      <source>Records from the microphone and transcribes it; Esc drops the recording</source>
      <translation>Nimmt vom Mikrofon auf und transkribiert; Esc verwirft die Aufnahme</translation>
    </message>
    <message>
      <source>Reference: a bundle or a checkpoint</source>
      <translation>Referenz: ein Bundle oder ein Checkpoint</translation>
    </message>
    <message>
      <source>Refused</source>
      <translation>Abgelehnt</translation>
    </message>
    <message>
      <source>Refused in this stage</source>
      <translation>In dieser Stufe abgelehnt</translation>
    </message>
    <message>
      <source>Regular expression</source>
      <translation>Regulärer Ausdruck</translation>
    </message>
    <message>
      <source>Rejection sampling</source>
      <translation>Rejection Sampling</translation>
    </message>
    <message>
      <source>Rejection: accepts more drafted tokens and keeps the model's distribution.</source>
      <translation>Rejection: Mehr entworfene Tokens werden genommen, und die Wahrscheinlichkeiten bleiben die des Modells.</translation>
    </message>
    <message>
      <source>Remark</source>
      <translation>Anmerkung</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>Entfernen</translation>
    </message>
    <message>
      <source>Remove (Del)</source>
      <translation>Entfernen (Entf)</translation>
    </message>
    <message>
      <source>Remove from list</source>
      <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
      <source>Remove the selected runs from the history (Del)</source>
      <translation>Gewählte Läufe aus dem Verlauf entfernen (Entf)</translation>
    </message>
    <message>
      <source>Remove {0}</source>
      <translation>{0} entfernen</translation>
    </message>
    <message>
      <source>Remove {0} from the list</source>
      <translation>{0} aus der Liste entfernen</translation>
    </message>
    <message>
      <source>Remove {0}?</source>
      <translation>{0} entfernen?</translation>
    </message>
    <message>
      <source>Removes {0} from Joinery's own environment.</source>
      <translation>Entfernt {0} aus Joinerys eigener Umgebung.</translation>
    </message>
    <message>
      <source>Removing old runs</source>
      <translation>Alte Läufe werden entfernt</translation>
    </message>
    <message>
      <source>Rename the chat</source>
      <translation>Chat umbenennen</translation>
    </message>
    <message>
      <source>Reopen</source>
      <translation>Neu öffnen</translation>
    </message>
    <message>
      <source>Reopen the bundle</source>
      <translation>Bundle neu öffnen</translation>
    </message>
    <message>
      <source>Repeated layers as one</source>
      <translation>Wiederholte Schichten als eine</translation>
    </message>
    <message>
      <source>Repetition penalty</source>
      <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
      <source>Repetitions</source>
      <translation>Wiederholungen</translation>
    </message>
    <message>
      <source>Replaces the model's chain and the settings under Sampling.</source>
      <translation>Ersetzt die Kette des Modells und die Einstellungen unter Sampling.</translation>
    </message>
    <message>
      <source>Replies draw their latency and cache here. A benchmark measures speed and memory, Accuracy compares two bundles, and History keeps every run.</source>
      <translation>Antworten zeichnen hier ihre Latenz und ihren Cache. Ein Benchmark misst Tempo und Speicher, Genauigkeit vergleicht zwei Bundles, und Verlauf bewahrt jeden Lauf auf.</translation>
    </message>
    <message>
      <source>Reply</source>
      <translation>Antwort</translation>
    </message>
    <message>
      <source>Reply as a tree</source>
      <translation>Antwort als Baum</translation>
    </message>
    <message>
      <source>Report (HTML) …</source>
      <translation>Bericht (HTML) …</translation>
    </message>
    <message>
      <source>Report (JSON) …</source>
      <translation>Bericht (JSON) …</translation>
    </message>
    <message>
      <source>Report (Markdown) …</source>
      <translation>Bericht (Markdown) …</translation>
    </message>
    <message>
      <source>Report on the bundle</source>
      <translation>Bericht über das Bundle</translation>
    </message>
    <message>
      <source>Report on the bundle …</source>
      <translation>Bericht über das Bundle …</translation>
    </message>
    <message>
      <source>Report on the selected runs …</source>
      <translation>Bericht über die gewählten Läufe …</translation>
    </message>
    <message>
      <source>Requests</source>
      <translation>Anfragen</translation>
    </message>
    <message>
      <source>Requests that may wait</source>
      <translation>Wartende Anfragen, höchstens</translation>
    </message>
    <message>
      <source>Reset</source>
      <translation>Zurücksetzen</translation>
    </message>
    <message>
      <source>Reset the measurements</source>
      <translation>Messungen zurücksetzen</translation>
    </message>
    <message>
      <source>Reset the settings to defaults</source>
      <translation>Einstellungen zurücksetzen</translation>
    </message>
    <message>
      <source>Reset the zoom</source>
      <translation>Zoom zurücksetzen</translation>
    </message>
    <message>
      <source>Reset to defaults</source>
      <translation>Zurücksetzen</translation>
    </message>
    <message>
      <source>Reset to greedy, with everything else off</source>
      <translation>Zurück zu greedy, alles Übrige aus</translation>
    </message>
    <message>
      <source>Resident memory of the worker processes</source>
      <translation>Resident belegter Speicher der Worker-Prozesse</translation>
    </message>
    <message>
      <source>Restart it</source>
      <translation>Neu starten</translation>
    </message>
    <message>
      <source>Restore the defaults</source>
      <translation>Vorgaben wiederherstellen</translation>
    </message>
    <message>
      <source>Restore the unsaved recipe</source>
      <translation>Ungespeichertes Rezept wiederherstellen</translation>
    </message>
    <message>
      <source>Results</source>
      <translation>Ergebnisse</translation>
    </message>
    <message>
      <source>Resume</source>
      <translation>Fortsetzen</translation>
    </message>
    <message>
      <source>Resume or retry the build</source>
      <translation>Bau fortsetzen oder wiederholen</translation>
    </message>
    <message>
      <source>Resume {0}</source>
      <translation>{0} fortsetzen</translation>
    </message>
    <message>
      <source>Retry from here</source>
      <translation>Von hier wiederholen</translation>
    </message>
    <message>
      <source>Review</source>
      <translation>Übersicht</translation>
    </message>
    <message>
      <source>Rewind</source>
      <translation>Zurückspulen</translation>
    </message>
    <message>
      <source>Round 32-bit scales of integers to GGUF's 16 bits, by 0.05 % at most</source>
      <translation>32-Bit-Skalen ganzer Zahlen auf die 16 Bit von GGUF runden, um höchstens 0,05 %</translation>
    </message>
    <message>
      <source>Round to nearest</source>
      <translation>Zum nächsten Wert runden</translation>
    </message>
    <message>
      <source>Rounding</source>
      <translation>Rundung</translation>
    </message>
    <message>
      <source>Route</source>
      <translation>Weg</translation>
    </message>
    <message>
      <source>Rows, queue and limits</source>
      <translation>Zeilen, Warteschlange und Grenzen</translation>
    </message>
    <message>
      <source>Run</source>
      <translation>Lauf</translation>
    </message>
    <message>
      <source>Run a sweep of builds</source>
      <translation>Versuchsreihe von Builds ausführen</translation>
    </message>
    <message>
      <source>Run and save the outputs …</source>
      <translation>Ausführen und Ausgaben sichern …</translation>
    </message>
    <message>
      <source>Run benchmark</source>
      <translation>Benchmark starten</translation>
    </message>
    <message>
      <source>Run benchmark …</source>
      <translation>Benchmark starten …</translation>
    </message>
    <message>
      <source>Run the graph</source>
      <translation>Ausführen</translation>
    </message>
    <message>
      <source>Run the graph once</source>
      <translation>Den Graphen einmal ausführen</translation>
    </message>
    <message>
      <source>Running a sweep</source>
      <translation>Versuchsreihe läuft</translation>
    </message>
    <message>
      <source>Running: {0}</source>
      <translation>Läuft: {0}</translation>
    </message>
    <message>
      <source>Runs by bundle, precision and provider</source>
      <translation>Läufe nach Bundle, Präzision und Provider</translation>
    </message>
    <message>
      <source>Runs in the history</source>
      <translation>Läufe im Verlauf</translation>
    </message>
    <message>
      <source>Runs of the graph over one random input; the first run warms up and is not counted.</source>
      <translation>Läufe des Graphen über eine zufällige Eingabe; der erste wärmt auf und zählt nicht.</translation>
    </message>
    <message>
      <source>Runs on</source>
      <translation>Läuft auf</translation>
    </message>
    <message>
      <source>Runs on: {0}.</source>
      <translation>Läuft auf: {0}.</translation>
    </message>
    <message>
      <source>Runs side by side</source>
      <translation>Läufe nebeneinander</translation>
    </message>
    <message>
      <source>Same tokens</source>
      <translation>Gleiche Tokens</translation>
    </message>
    <message>
      <source>Sample</source>
      <translation>Ziehen</translation>
    </message>
    <message>
      <source>Sample in {0}</source>
      <translation>Beispiel in {0}</translation>
    </message>
    <message>
      <source>Samples</source>
      <translation>Beispiele</translation>
    </message>
    <message>
      <source>Samples of each task</source>
      <translation>Beispiele je Aufgabe</translation>
    </message>
    <message>
      <source>Samples the token; without it, the most probable one is chosen. Always last.</source>
      <translation>Zieht das Token; ohne diese Operation gilt das wahrscheinlichste. Immer zuletzt.</translation>
    </message>
    <message>
      <source>Sampling</source>
      <translation>Sampling</translation>
    </message>
    <message>
      <source>Save as CSV …</source>
      <translation>Als CSV sichern …</translation>
    </message>
    <message>
      <source>Save as JSON, with all branches …</source>
      <translation>Als JSON speichern, mit allen Zweigen …</translation>
    </message>
    <message>
      <source>Save as Markdown …</source>
      <translation>Als Markdown speichern …</translation>
    </message>
    <message>
      <source>Save as …</source>
      <translation>Speichern unter …</translation>
    </message>
    <message>
      <source>Save picture …</source>
      <translation>Bild speichern …</translation>
    </message>
    <message>
      <source>Save the chat as JSON</source>
      <translation>Chat als JSON speichern</translation>
    </message>
    <message>
      <source>Save the chat as Markdown</source>
      <translation>Chat als Markdown speichern</translation>
    </message>
    <message>
      <source>Save the depths</source>
      <translation>Die Tiefen speichern</translation>
    </message>
    <message>
      <source>Save the outputs</source>
      <translation>Ausgaben sichern</translation>
    </message>
    <message>
      <source>Save the picture</source>
      <translation>Bild speichern</translation>
    </message>
    <message>
      <source>Save the plan</source>
      <translation>Den Plan speichern</translation>
    </message>
    <message>
      <source>Save the plan …</source>
      <translation>Den Plan speichern …</translation>
    </message>
    <message>
      <source>Save the prompt cache</source>
      <translation>Prompt-Cache speichern</translation>
    </message>
    <message>
      <source>Save the recipe</source>
      <translation>Rezept speichern</translation>
    </message>
    <message>
      <source>Save the table</source>
      <translation>Tabelle sichern</translation>
    </message>
    <message>
      <source>Save …</source>
      <translation>Speichern …</translation>
    </message>
    <message>
      <source>Saved to {0}.</source>
      <translation>Nach {0} gespeichert.</translation>
    </message>
    <message>
      <source>Save…</source>
      <translation>Speichern…</translation>
    </message>
    <message>
      <source>Scale</source>
      <translation>Skalierung</translation>
    </message>
    <message>
      <source>Scale of adapter {0}</source>
      <translation>Skalierung von Adapter {0}</translation>
    </message>
    <message>
      <source>Scale of the window, from the next start on.</source>
      <translation>Skalierung des Fensters, ab dem nächsten Start.</translation>
    </message>
    <message>
      <source>Scale to decode: cut off longer prefill blocks</source>
      <translation>Auf Decode skalieren: längere Prefill-Blöcke abschneiden</translation>
    </message>
    <message>
      <source>Scheduler</source>
      <translation>Scheduler</translation>
    </message>
    <message>
      <source>Scope {0}, {1}. {2}</source>
      <translation>Bereich {0}, {1}. {2}</translation>
    </message>
    <message>
      <source>Scopes</source>
      <translation>Bereiche</translation>
    </message>
    <message>
      <source>Score</source>
      <translation>Wert</translation>
    </message>
    <message>
      <source>Scores</source>
      <translation>Ergebnisse</translation>
    </message>
    <message>
      <source>Scores for “{0}” · {1}</source>
      <translation>Werte für „{0}“ · {1}</translation>
    </message>
    <message>
      <source>Scores of the open bundle in public tasks, without a reference.</source>
      <translation>Ergebnisse des offenen Bundles in öffentlichen Aufgaben, ohne Vergleich.</translation>
    </message>
    <message>
      <source>Scores of {0} on {1}</source>
      <translation>Ergebnisse von {0} auf {1}</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>Suchen</translation>
    </message>
    <message>
      <source>Search again</source>
      <translation>Noch einmal suchen</translation>
    </message>
    <message>
      <source>Search for devices again</source>
      <translation>Noch einmal nach Geräten suchen</translation>
    </message>
    <message>
      <source>Search for the best scale</source>
      <translation>Beste Skala suchen</translation>
    </message>
    <message>
      <source>Search the chats</source>
      <translation>Chats durchsuchen</translation>
    </message>
    <message>
      <source>Search the lines</source>
      <translation>Zeilen durchsuchen</translation>
    </message>
    <message>
      <source>Search the lines by their meaning</source>
      <translation>Zeilen nach ihrer Bedeutung durchsuchen</translation>
    </message>
    <message>
      <source>Searching for devices</source>
      <translation>Geräte werden gesucht</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <source>Segments of the transcript</source>
      <translation>Abschnitte des Transkripts</translation>
    </message>
    <message>
      <source>Select runs in the table to see them side by side.</source>
      <translation>Läufe in der Tabelle wählen, um sie nebeneinander zu sehen.</translation>
    </message>
    <message>
      <source>Select runs of the kind generation to see the latencies of their tokens.</source>
      <translation>Läufe der Art Erzeugung wählen, um die Latenzen ihrer Tokens zu sehen.</translation>
    </message>
    <message>
      <source>Selected: {0}</source>
      <translation>Ausgewählt: {0}</translation>
    </message>
    <message>
      <source>Send</source>
      <translation>Senden</translation>
    </message>
    <message>
      <source>Sends the prompt (Enter)</source>
      <translation>Sendet den Prompt (Eingabe)</translation>
    </message>
    <message>
      <source>Separate graphs for prefill and decode</source>
      <translation>Getrennte Graphen für Prefill und Decode</translation>
    </message>
    <message>
      <source>Separate transformer, in operators for NPUs</source>
      <translation>Getrennter Transformer, in Operatoren für NPUs</translation>
    </message>
    <message>
      <source>Server</source>
      <translation>Server</translation>
    </message>
    <message>
      <source>Session</source>
      <translation>Sitzung</translation>
    </message>
    <message>
      <source>Sets appearance, folders of bundles and the size of the history.</source>
      <translation>Stellt Aussehen, Ordner der Bundles und Umfang des Verlaufs ein.</translation>
    </message>
    <message>
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <source>Settings (*.json)</source>
      <translation>Einstellungen (*.json)</translation>
    </message>
    <message>
      <source>Settings (Ctrl+,)</source>
      <translation>Einstellungen (Strg+,)</translation>
    </message>
    <message>
      <source>Settings of the next reply</source>
      <translation>Einstellungen der nächsten Antwort</translation>
    </message>
    <message>
      <source>Settings that differ from the defaults</source>
      <translation>Einstellungen, die von der Vorgabe abweichen</translation>
    </message>
    <message>
      <source>Setup</source>
      <translation>Einrichtung</translation>
    </message>
    <message>
      <source>Setup, requests, samples or log</source>
      <translation>Einrichtung, Anfragen, Beispiele oder Protokoll</translation>
    </message>
    <message>
      <source>Shape</source>
      <translation>Form</translation>
    </message>
    <message>
      <source>Share</source>
      <translation>Anteil</translation>
    </message>
    <message>
      <source>Shares of {0}, the time of all nodes in a run. With profiling, a run takes {1} ({2}).</source>
      <translation>Anteile an {0}, der Zeit aller Knoten in einem Lauf. Mit Profiling dauert ein Lauf {1} ({2}).</translation>
    </message>
    <message>
      <source>She planted tomatoes behind the house.</source>
      <translation>Sie pflanzte Tomaten hinter dem Haus.</translation>
    </message>
    <message>
      <source>Shift+Enter</source>
      <translation>Umschalt+Eingabe</translation>
    </message>
    <message>
      <source>Shortcuts</source>
      <translation>Tastenkürzel</translation>
    </message>
    <message>
      <source>Shortens a text.</source>
      <translation>Kürzt einen Text.</translation>
    </message>
    <message>
      <source>Show</source>
      <translation>Anzeigen</translation>
    </message>
    <message>
      <source>Show all runs</source>
      <translation>Alle Läufe zeigen</translation>
    </message>
    <message>
      <source>Show as a tree</source>
      <translation>Als Baum zeigen</translation>
    </message>
    <message>
      <source>Show as text</source>
      <translation>Als Text zeigen</translation>
    </message>
    <message>
      <source>Show in graph</source>
      <translation>Im Graphen zeigen</translation>
    </message>
    <message>
      <source>Show in the history</source>
      <translation>Im Verlauf zeigen</translation>
    </message>
    <message>
      <source>Show or hide the chat settings</source>
      <translation>Chat-Einstellungen zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Show or hide the list of chats</source>
      <translation>Liste der Chats zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Show or hide the settings</source>
      <translation>Einstellungen zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Show or hide underlines of accepted drafts</source>
      <translation>Unterstreichung angenommener Entwürfe ein- oder ausblenden</translation>
    </message>
    <message>
      <source>Show samples</source>
      <translation>Beispiele zeigen</translation>
    </message>
    <message>
      <source>Show the build</source>
      <translation>Bau zeigen</translation>
    </message>
    <message>
      <source>Show the bundles</source>
      <translation>Die Bundles zeigen</translation>
    </message>
    <message>
      <source>Show the cache as it is now</source>
      <translation>Den Cache zeigen, wie er jetzt ist</translation>
    </message>
    <message>
      <source>Show the choices</source>
      <translation>Die Wahl zeigen</translation>
    </message>
    <message>
      <source>Show the folder</source>
      <translation>Ordner zeigen</translation>
    </message>
    <message>
      <source>Show the result</source>
      <translation>Ergebnis zeigen</translation>
    </message>
    <message>
      <source>Show the run</source>
      <translation>Lauf zeigen</translation>
    </message>
    <message>
      <source>Show the whole time axis (double click, Home or 0)</source>
      <translation>Ganze Zeitachse zeigen (Doppelklick, Pos1 oder 0)</translation>
    </message>
    <message>
      <source>Show times</source>
      <translation>Zeiten zeigen</translation>
    </message>
    <message>
      <source>Show what a bundle or a graph holds</source>
      <translation>Den Inhalt eines Bundles oder Graphen zeigen</translation>
    </message>
    <message>
      <source>Shows what was built: how the components run together, each graph from the export through every pass, the differences of two stages, and the KV cache slot by slot.</source>
      <translation>Zeigt, was gebaut wurde: wie die Komponenten zusammen laufen, jeden Graphen vom Export durch jeden Pass, die Unterschiede zweier Stufen und den KV-Cache Slot für Slot.</translation>
    </message>
    <message>
      <source>Shows when each part of the transcript was said</source>
      <translation>Zeigt, wann jeder Teil der Abschrift gesagt wurde</translation>
    </message>
    <message>
      <source>Side by side</source>
      <translation>Nebeneinander</translation>
    </message>
    <message>
      <source>Similarities of each two lines</source>
      <translation>Ähnlichkeiten von je zwei Zeilen</translation>
    </message>
    <message>
      <source>Similarity</source>
      <translation>Ähnlichkeit</translation>
    </message>
    <message>
      <source>Since “{0}”</source>
      <translation>Seit „{0}“</translation>
    </message>
    <message>
      <source>Size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <source>Sizes of the open axes</source>
      <translation>Größen der offenen Achsen</translation>
    </message>
    <message>
      <source>Skip to review</source>
      <translation>Zur Übersicht springen</translation>
    </message>
    <message>
      <source>Sliding window</source>
      <translation>Gleitendes Fenster</translation>
    </message>
    <message>
      <source>Slots of cache group {0}</source>
      <translation>Slots der Cache-Gruppe {0}</translation>
    </message>
    <message>
      <source>Smaller (-)</source>
      <translation>Kleiner (-)</translation>
    </message>
    <message>
      <source>Smaller blocks are more accurate and need more bytes for their scales.</source>
      <translation>Kleinere Blöcke sind genauer und brauchen mehr Bytes für ihre Skalen.</translation>
    </message>
    <message>
      <source>Smaller blocks in the output head, the embedding and the attention output gain the most accuracy per byte. For int4 only.</source>
      <translation>Kleinere Blöcke im Ausgabekopf, im Embedding und in der Attention-Ausgabe bringen die meiste Genauigkeit je Byte. Nur für int4.</translation>
    </message>
    <message>
      <source>Smallest and largest value</source>
      <translation>Kleinster und größter Wert</translation>
    </message>
    <message>
      <source>Smallest that reaches a quality goal</source>
      <translation>Kleinstes, das ein Qualitätsziel erreicht</translation>
    </message>
    <message>
      <source>Snapshots</source>
      <translation>Schnappschüsse</translation>
    </message>
    <message>
      <source>Source</source>
      <translation>Quelle</translation>
    </message>
    <message>
      <source>Source length</source>
      <translation>Länge der Quelle</translation>
    </message>
    <message>
      <source>Source: {0}. pip accepts only files with one of the {1} SHA-256 hashes that Joinery was tested with.</source>
      <translation>Quelle: {0}. pip nimmt nur Dateien mit einer der {1} SHA-256-Prüfsummen an, mit denen Joinery getestet wurde.</translation>
    </message>
    <message>
      <source>Source: {0}. pip accepts only files with the SHA-256 hashes that Joinery was tested with; a PyTorch that this machine's index built itself is named instead.</source>
      <translation>Quelle: {0}. pip nimmt nur Dateien mit den SHA-256-Prüfsummen, mit denen Joinery getestet wurde; ein PyTorch, das der Index dieses Rechners selbst gebaut hat, wird stattdessen genannt.</translation>
    </message>
    <message>
      <source>Speed</source>
      <translation>Tempo</translation>
    </message>
    <message>
      <source>Speed of {0} on {1}</source>
      <translation>Geschwindigkeit von {0} auf {1}</translation>
    </message>
    <message>
      <source>Speed on {0}</source>
      <translation>Tempo auf {0}</translation>
    </message>
    <message>
      <source>Speed, accuracy, history or sweep</source>
      <translation>Tempo, Genauigkeit, Verlauf oder Versuchsreihe</translation>
    </message>
    <message>
      <source>Stage</source>
      <translation>Stufe</translation>
    </message>
    <message>
      <source>Stage before</source>
      <translation>Vorige Stufe</translation>
    </message>
    <message>
      <source>Stage of the build</source>
      <translation>Stufe des Baus</translation>
    </message>
    <message>
      <source>Stage of the build of {0}</source>
      <translation>Stufe des Baus von {0}</translation>
    </message>
    <message>
      <source>Stages of builds that later builds reuse</source>
      <translation>Stufen, die spätere Builds wiederverwenden</translation>
    </message>
    <message>
      <source>Stages of the build</source>
      <translation>Stufen des Baus</translation>
    </message>
    <message>
      <source>Standard error</source>
      <translation>Standardfehler</translation>
    </message>
    <message>
      <source>Start</source>
      <translation>Starten</translation>
    </message>
    <message>
      <source>Start a new build</source>
      <translation>Neuen Bau beginnen</translation>
    </message>
    <message>
      <source>Start again</source>
      <translation>Neu starten</translation>
    </message>
    <message>
      <source>Start over</source>
      <translation>Von vorn beginnen</translation>
    </message>
    <message>
      <source>Start sweep</source>
      <translation>Versuchsreihe starten</translation>
    </message>
    <message>
      <source>Start the server</source>
      <translation>Den Server starten</translation>
    </message>
    <message>
      <source>Starting on {1}: {0}</source>
      <translation>Startet auf {1}: {0}</translation>
    </message>
    <message>
      <source>Starting pip …</source>
      <translation>pip wird gestartet …</translation>
    </message>
    <message>
      <source>Starting: {0}</source>
      <translation>Startet: {0}</translation>
    </message>
    <message>
      <source>Starts, stops and what went wrong; prompts and replies are not logged.</source>
      <translation>Starts, Stopps und was misslang; Prompts und Antworten werden nicht protokolliert.</translation>
    </message>
    <message>
      <source>State</source>
      <translation>Zustand</translation>
    </message>
    <message>
      <source>State of fixed size</source>
      <translation>Zustand fester Größe</translation>
    </message>
    <message>
      <source>State of fixed size {0}, at any length.</source>
      <translation>Zustand fester Größe {0}, bei jeder Länge gleich.</translation>
    </message>
    <message>
      <source>Static cache</source>
      <translation>Statischer Cache</translation>
    </message>
    <message>
      <source>Static: ends when full</source>
      <translation>Statisch: endet, wenn voll</translation>
    </message>
    <message>
      <source>Step difference</source>
      <translation>Abweichung Schritt</translation>
    </message>
    <message>
      <source>Step of the generation</source>
      <translation>Schritt der Erzeugung</translation>
    </message>
    <message>
      <source>Step under the pointer</source>
      <translation>Schritt unter dem Zeiger</translation>
    </message>
    <message>
      <source>Steps</source>
      <translation>Schritte</translation>
    </message>
    <message>
      <source>Steps (CSV) …</source>
      <translation>Schritte (CSV) …</translation>
    </message>
    <message>
      <source>Steps and figures (CSV) …</source>
      <translation>Schritte und Zahlen (CSV) …</translation>
    </message>
    <message>
      <source>Steps of the run</source>
      <translation>Schritte des Laufs</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>Anhalten</translation>
    </message>
    <message>
      <source>Stop and transcribe</source>
      <translation>Beenden und transkribieren</translation>
    </message>
    <message>
      <source>Stop now</source>
      <translation>Sofort anhalten</translation>
    </message>
    <message>
      <source>Stop opening</source>
      <translation>Öffnen abbrechen</translation>
    </message>
    <message>
      <source>Stop strings</source>
      <translation>Stopptexte</translation>
    </message>
    <message>
      <source>Stop strings, one a line</source>
      <translation>Stopptexte, einer je Zeile</translation>
    </message>
    <message>
      <source>Stop the reply</source>
      <translation>Antwort anhalten</translation>
    </message>
    <message>
      <source>Stop the server</source>
      <translation>Den Server anhalten</translation>
    </message>
    <message>
      <source>Stop the server to change these choices.</source>
      <translation>Den Server anhalten, um dies zu ändern.</translation>
    </message>
    <message>
      <source>Stop updating the plots; the measurement continues (Ctrl+Space)</source>
      <translation>Diagramme nicht mehr aktualisieren; die Messung geht weiter (Strg+Leertaste)</translation>
    </message>
    <message>
      <source>Stopped after {0}</source>
      <translation>Angehalten nach {0}</translation>
    </message>
    <message>
      <source>Stopped before the bundle was open.</source>
      <translation>Angehalten, bevor das Bundle offen war.</translation>
    </message>
    <message>
      <source>Stopped.</source>
      <translation>Angehalten.</translation>
    </message>
    <message>
      <source>Stopped: the worker did not answer and was ended.</source>
      <translation>Angehalten: der Worker antwortete nicht und wurde beendet.</translation>
    </message>
    <message>
      <source>Stopped: the worker was ended.</source>
      <translation>Angehalten: der Worker wurde beendet.</translation>
    </message>
    <message>
      <source>Stopped; nothing was written.</source>
      <translation>Angehalten; nichts wurde geschrieben.</translation>
    </message>
    <message>
      <source>Stopping</source>
      <translation>Wird angehalten</translation>
    </message>
    <message>
      <source>Stopping …</source>
      <translation>Wird angehalten …</translation>
    </message>
    <message>
      <source>Stopping, after the requests that run.</source>
      <translation>Hält an, nach den Anfragen, die laufen.</translation>
    </message>
    <message>
      <source>Stops it (Esc)</source>
      <translation>Hält es an (Esc)</translation>
    </message>
    <message>
      <source>Subtracted from a token's logit for each time it was generated.</source>
      <translation>Wird vom Logit eines Tokens für jedes Mal abgezogen, das es erzeugt wurde.</translation>
    </message>
    <message>
      <source>Subtracted from a token's logit once if it was generated.</source>
      <translation>Wird einmal vom Logit eines Tokens abgezogen, wenn es erzeugt wurde.</translation>
    </message>
    <message>
      <source>Suggest</source>
      <translation>Vorschlagen</translation>
    </message>
    <message>
      <source>Suggest nodes to exclude from quantization</source>
      <translation>Knoten vorschlagen, die nicht quantisiert werden</translation>
    </message>
    <message>
      <source>Suggestion: leave {0} unquantized (Build, Quantize, “Nodes that are not quantized”).</source>
      <translation>Vorschlag: {0} unquantisiert lassen (Bauen, Quantisieren, „Knoten, die nicht quantisiert werden“).</translation>
    </message>
    <message>
      <source>Summarizes</source>
      <translation>Fasst zusammen</translation>
    </message>
    <message>
      <source>Sums</source>
      <translation>Summen</translation>
    </message>
    <message>
      <source>Sweep</source>
      <translation>Versuchsreihe</translation>
    </message>
    <message>
      <source>Switch the log scale of latency</source>
      <translation>Logarithmische Skala der Latenz umschalten</translation>
    </message>
    <message>
      <source>Switched while the model runs</source>
      <translation>Im laufenden Modell gewechselt</translation>
    </message>
    <message>
      <source>Symmetric</source>
      <translation>Symmetrisch</translation>
    </message>
    <message>
      <source>Symmetric blocks of {0}</source>
      <translation>Symmetrische Blöcke zu {0}</translation>
    </message>
    <message>
      <source>System</source>
      <translation>System</translation>
    </message>
    <message>
      <source>System prompt</source>
      <translation>System-Prompt</translation>
    </message>
    <message>
      <source>T5: a phrase book from English to French, and short summaries</source>
      <translation>T5: ein Sprachführer vom Englischen ins Französische und kurze Zusammenfassungen</translation>
    </message>
    <message>
      <source>TLS takes a certificate and its key: choose both files.</source>
      <translation>TLS braucht ein Zertifikat und seinen Schlüssel: beide Dateien wählen.</translation>
    </message>
    <message>
      <source>TTFT</source>
      <translation>TTFT</translation>
    </message>
    <message>
      <source>TTFT {0} ms · last token {1} ms</source>
      <translation>TTFT {0} ms · letztes Token {1} ms</translation>
    </message>
    <message>
      <source>Take a free port</source>
      <translation>Freien Port nehmen</translation>
    </message>
    <message>
      <source>Take the tour</source>
      <translation>Tour beginnen</translation>
    </message>
    <message>
      <source>Target</source>
      <translation>Ziel</translation>
    </message>
    <message>
      <source>Target file</source>
      <translation>Zieldatei</translation>
    </message>
    <message>
      <source>Target folder</source>
      <translation>Zielordner</translation>
    </message>
    <message>
      <source>Task</source>
      <translation>Aufgabe</translation>
    </message>
    <message>
      <source>Task file</source>
      <translation>Aufgabendatei</translation>
    </message>
    <message>
      <source>Tasks</source>
      <translation>Aufgaben</translation>
    </message>
    <message>
      <source>Tasks (*.jsonl *.ndjson *.parquet);;All files (*)</source>
      <translation>Aufgaben (*.jsonl *.ndjson *.parquet);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Tasks of lm-eval</source>
      <translation>Aufgaben von lm-eval</translation>
    </message>
    <message>
      <source>Tasks of lm-eval …</source>
      <translation>lm-eval …</translation>
    </message>
    <message>
      <source>Temperature</source>
      <translation>Temperatur</translation>
    </message>
    <message>
      <source>Tensor</source>
      <translation>Tensor</translation>
    </message>
    <message>
      <source>Tensor scatter</source>
      <translation>Tensor-Scatter</translation>
    </message>
    <message>
      <source>Tensors of the state</source>
      <translation>Tensoren des Zustands</translation>
    </message>
    <message>
      <source>Text</source>
      <translation>Text</translation>
    </message>
    <message>
      <source>Text (*.txt);;All (*)</source>
      <translation>Text (*.txt);;Alle (*)</translation>
    </message>
    <message>
      <source>Text (*.txt);;All files (*)</source>
      <translation>Text (*.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Text of the file</source>
      <translation>Text der Datei</translation>
    </message>
    <message>
      <source>Text of the message</source>
      <translation>Text der Nachricht</translation>
    </message>
    <message>
      <source>Texts at a time</source>
      <translation>Texte gleichzeitig</translation>
    </message>
    <message>
      <source>Texts at once</source>
      <translation>Texte zugleich</translation>
    </message>
    <message>
      <source>Texts, one in each line</source>
      <translation>Texte, einer je Zeile</translation>
    </message>
    <message>
      <source>That choice has settings of its own; these are the usual ones again: {0}.</source>
      <translation>Diese Wahl hat eigene Einstellungen; wieder üblich sind: {0}.</translation>
    </message>
    <message>
      <source>The PNG is scaled to {0} %: SVG has no size limit.</source>
      <translation>Es hat {0} % seiner Größe: SVG kennt keine solche Grenze.</translation>
    </message>
    <message>
      <source>The adapters are</source>
      <translation>Die Adapter werden</translation>
    </message>
    <message>
      <source>The address of a scheduler whose workers run the steps: tcp://HOST:PORT</source>
      <translation>Die Adresse eines Schedulers, dessen Worker die Schritte ausführen: tcp://HOST:PORT</translation>
    </message>
    <message>
      <source>The answer appears here; tokens that differ are marked.</source>
      <translation>Die Antwort erscheint hier; abweichende Tokens sind markiert.</translation>
    </message>
    <message>
      <source>The bars show the tokens of each step. The paler bar shows how many there would be if the whole draft had been accepted.</source>
      <translation>Die Balken zeigen die Tokens jedes Schritts. Der blassere Balken zeigt, wie viele es wären, wenn der ganze Entwurf angenommen worden wäre.</translation>
    </message>
    <message>
      <source>The benchmark was stopped; nothing was saved.</source>
      <translation>Der Benchmark wurde gestoppt; nichts wurde gespeichert.</translation>
    </message>
    <message>
      <source>The build runs in a separate process and continues while you use other pages.</source>
      <translation>Der Bau läuft in einem getrennten Prozess und geht weiter, während andere Seiten benutzt werden.</translation>
    </message>
    <message>
      <source>The build searches for the precision of every weight and writes it into the recipe of the bundle. The recipe and the figures on this page are those of fp32, with which the search begins.</source>
      <translation>Der Bau sucht die Präzision jedes Gewichts und schreibt sie in das Rezept des Bundles. Rezept und Zahlen auf dieser Seite sind die von fp32, womit die Suche beginnt.</translation>
    </message>
    <message>
      <source>The build searches the smallest mix that reaches a goal.</source>
      <translation>Der Bau sucht die kleinste Mischung, die ein Ziel erreicht.</translation>
    </message>
    <message>
      <source>The build tries many mixes of precisions, layer by layer, and uses the smallest one that fits.</source>
      <translation>Der Bau probiert viele Mischungen von Präzisionen, Schicht für Schicht, und verwendet die kleinste, die passt.</translation>
    </message>
    <message>
      <source>The build was stopped. Finished stages are saved, and Resume continues after them.</source>
      <translation>Der Bau wurde angehalten. Fertige Stufen sind gespeichert, und Fortsetzen macht danach weiter.</translation>
    </message>
    <message>
      <source>The build will be refused: close other programs, or choose a smaller checkpoint.</source>
      <translation>Der Build wird abgelehnt: andere Programme schließen oder einen kleineren Checkpoint wählen.</translation>
    </message>
    <message>
      <source>The bundle is complete: every file was written and verified.</source>
      <translation>Das Bundle ist vollständig: jede Datei wurde geschrieben und geprüft.</translation>
    </message>
    <message>
      <source>The bundle is damaged; build it again.</source>
      <translation>Das Bundle ist beschädigt; es muss neu gebaut werden.</translation>
    </message>
    <message>
      <source>The bundle's default, else none</source>
      <translation>Vorgabe des Bundles, sonst keine</translation>
    </message>
    <message>
      <source>The bundle's own chain; the settings under Sampling replace its values.</source>
      <translation>Die eigene Kette des Bundles; was unter Sampling eingestellt ist, steht an den Stellen darin.</translation>
    </message>
    <message>
      <source>The bus to the airport is late again.</source>
      <translation>Der Bus zum Flughafen hat wieder Verspätung.</translation>
    </message>
    <message>
      <source>The cache cannot be rewound to {0}: no state is kept for it. Possible lengths: {1}.</source>
      <translation>Er kann nicht auf {0} zurück: Dafür ist kein Zustand aufbewahrt. Er kann auf {1}.</translation>
    </message>
    <message>
      <source>The cache cannot be rewound to {0}: those tokens are gone. Possible lengths: {1}.</source>
      <translation>Er kann nicht auf {0} zurück: diese Tokens sind fort. Er kann auf {1}.</translation>
    </message>
    <message>
      <source>The cache holds 1 token again.</source>
      <translation>Der Cache hält wieder 1 Token.</translation>
    </message>
    <message>
      <source>The cache holds {0} tokens again.</source>
      <translation>Der Cache hält wieder {0} Tokens.</translation>
    </message>
    <message>
      <source>The cache is being changed</source>
      <translation>Der Cache wird gerade geändert</translation>
    </message>
    <message>
      <source>The chain cannot be used. {0}</source>
      <translation>Die Kette kann nicht verwendet werden. {0}</translation>
    </message>
    <message>
      <source>The chat could not be changed.</source>
      <translation>Der Chat konnte nicht geändert werden.</translation>
    </message>
    <message>
      <source>The chat could not be exported.</source>
      <translation>Der Chat konnte nicht exportiert werden.</translation>
    </message>
    <message>
      <source>The chat is open in another window; only that window can change it.</source>
      <translation>Der Chat ist in einem anderen Fenster offen, das allein ihn ändern kann.</translation>
    </message>
    <message>
      <source>The chat is open in another window; you can continue a copy of it here.</source>
      <translation>Der Chat ist in einem anderen Fenster geöffnet; hier lässt sich eine Kopie fortsetzen.</translation>
    </message>
    <message>
      <source>The chat “{0}” was deleted.</source>
      <translation>Der Chat „{0}“ wurde gelöscht.</translation>
    </message>
    <message>
      <source>The chat's next turn reuses the cached beginning of its prompt, also from a loaded cache, and computes only the rest.</source>
      <translation>Der nächste Zug des Chats nutzt, was der Cache von seinem Anfang hält, auch ein geladener, und berechnet den Rest: nach dem Zurückspulen nur das Vergessene.</translation>
    </message>
    <message>
      <source>The checkpoint to convert: config.json, safetensors weights and a tokenizer, or a GGUF file.</source>
      <translation>Der Checkpoint, der umgewandelt wird: config.json, safetensors-Gewichte und ein Tokenizer, oder eine GGUF-Datei.</translation>
    </message>
    <message>
      <source>The checkpoint's settings</source>
      <translation>Einstellungen des Checkpoints</translation>
    </message>
    <message>
      <source>The composite as it runs, the graph of each component at each stage of the build with the differences between them, and the KV cache slot by slot.</source>
      <translation>Der Verbund, wie er läuft, der Graph jeder Komponente nach jeder Stufe des Baus mit den Unterschieden dazwischen, und der KV-Cache Slot für Slot.</translation>
    </message>
    <message>
      <source>The conversation continues on {0} instead of {1}; the next prompt recomputes the cache.</source>
      <translation>Das Gespräch geht mit {0} statt {1} weiter; der nächste Prompt berechnet seinen Cache neu.</translation>
    </message>
    <message>
      <source>The depths in colours</source>
      <translation>Die Tiefen in Farben</translation>
    </message>
    <message>
      <source>The devices of the chosen machine that can run bundles.</source>
      <translation>Die Geräte des gewählten Rechners, die Bundles ausführen können.</translation>
    </message>
    <message>
      <source>The encoder ({0}) has no cache of its own: it reads a source once and fills the cross cache.</source>
      <translation>Der Encoder ({0}) führt keinen Cache: er liest eine Quelle einmal und übergibt den Cross-Cache.</translation>
    </message>
    <message>
      <source>The engine does not report the lengths to which this cache can be rewound.</source>
      <translation>Die Engine sagt nicht, auf welche Längen dieser Cache zurückgehen kann.</translation>
    </message>
    <message>
      <source>The engine queries each execution provider.</source>
      <translation>Die Engine fragt jeden Execution Provider ab.</translation>
    </message>
    <message>
      <source>The engine reported no execution provider on this machine.</source>
      <translation>Die Engine meldete auf diesem Rechner keinen Execution Provider.</translation>
    </message>
    <message>
      <source>The exported graphs are not changed.</source>
      <translation>Die exportierten Graphen werden nicht geändert.</translation>
    </message>
    <message>
      <source>The file could not be written.</source>
      <translation>Die Datei konnte nicht geschrieben werden.</translation>
    </message>
    <message>
      <source>The file does not say how these graphs run together.</source>
      <translation>Wie diese Graphen zusammen laufen, ist nicht bekannt.</translation>
    </message>
    <message>
      <source>The file to write</source>
      <translation>Die Datei, die geschrieben wird</translation>
    </message>
    <message>
      <source>The file {0} cannot be read: {1}.</source>
      <translation>Die Datei {0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>The fixed input length of the encoder: shorter sources are padded, longer ones are refused.</source>
      <translation>Die feste Eingabelänge des Encoders: kürzere Quellen werden aufgefüllt, längere abgelehnt.</translation>
    </message>
    <message>
      <source>The folder no longer contains the bundle of this run, so its recipe is unknown.</source>
      <translation>Der Ordner enthält das Bundle dieses Laufs nicht mehr, daher ist sein Rezept unbekannt.</translation>
    </message>
    <message>
      <source>The folder no longer contains this bundle.</source>
      <translation>Der Ordner enthält dieses Bundle nicht mehr.</translation>
    </message>
    <message>
      <source>The folder that will contain it</source>
      <translation>Der Ordner, der ihn enthalten wird</translation>
    </message>
    <message>
      <source>The folder with tokenizer.json</source>
      <translation>Der Ordner mit tokenizer.json</translation>
    </message>
    <message>
      <source>The form is empty: write one, or begin with an example.</source>
      <translation>Die Form ist leer: eine schreiben oder mit einem Beispiel beginnen.</translation>
    </message>
    <message>
      <source>The form of the reply cannot be used. {0}</source>
      <translation>Die Form der Antwort kann nicht verwendet werden. {0}</translation>
    </message>
    <message>
      <source>The graph cannot be read.</source>
      <translation>Der Graph kann nicht gelesen werden.</translation>
    </message>
    <message>
      <source>The graph has no nodes.</source>
      <translation>Der Graph hat keine Knoten.</translation>
    </message>
    <message>
      <source>The graph has no open axis</source>
      <translation>Der Graph hat keine offene Achse</translation>
    </message>
    <message>
      <source>The graph is being read</source>
      <translation>Der Graph wird gelesen</translation>
    </message>
    <message>
      <source>The graph runs</source>
      <translation>Der Graph läuft</translation>
    </message>
    <message>
      <source>The graph writes its cache itself: build another for this layout.</source>
      <translation>Der Graph schreibt seinen Cache selbst: für dieses Layout muss ein anderer gebaut werden.</translation>
    </message>
    <message>
      <source>The graphs are compiled: {0}, {1}.</source>
      <translation>Die Graphen sind kompiliert: {0}, {1}.</translation>
    </message>
    <message>
      <source>The graphs do not form a model yet.</source>
      <translation>Die Graphen bilden noch kein Modell.</translation>
    </message>
    <message>
      <source>The graphs into which the model is divided, and the cache that they share.</source>
      <translation>Die Graphen, in die das Modell geteilt wird, und der Cache, den sie teilen.</translation>
    </message>
    <message>
      <source>The graphs need no change for this target.</source>
      <translation>Die Graphen brauchen für dieses Ziel keine Änderung.</translation>
    </message>
    <message>
      <source>The graphs of one model</source>
      <translation>Die Graphen eines Modells</translation>
    </message>
    <message>
      <source>The history of builds and measurements</source>
      <translation>Der Verlauf von Builds und Messungen</translation>
    </message>
    <message>
      <source>The inputs and outputs of the graphs are being read.</source>
      <translation>Die Ein- und Ausgaben der Graphen werden gelesen.</translation>
    </message>
    <message>
      <source>The labels appear here.</source>
      <translation>Hier erscheinen die Labels.</translation>
    </message>
    <message>
      <source>The language that is spoken; the model finds it out where none is chosen</source>
      <translation>Die gesprochene Sprache; ist keine gewählt, erkennt das Modell sie</translation>
    </message>
    <message>
      <source>The largest difference to the CPU provider: of logits, and of keys and values.</source>
      <translation>Die größte Abweichung vom CPU-Provider: der Logits und der Keys und Values.</translation>
    </message>
    <message>
      <source>The last chat could not be read.</source>
      <translation>Der letzte Chat konnte nicht gelesen werden.</translation>
    </message>
    <message>
      <source>The last reply of this chat is by {0}; {1} answers the next prompt.</source>
      <translation>Die letzte Antwort dieses Chats ist von {0}; auf den nächsten Prompt antwortet {1}.</translation>
    </message>
    <message>
      <source>The latency that {0} % of the generated tokens do not exceed; the first token is not counted.</source>
      <translation>Die Latenz, die {0} % der erzeugten Tokens nicht überschreiten; das erste Token zählt nicht.</translation>
    </message>
    <message>
      <source>The limit</source>
      <translation>Die Grenze</translation>
    </message>
    <message>
      <source>The machine is being checked</source>
      <translation>Der Rechner wird geprüft</translation>
    </message>
    <message>
      <source>The maximum number of tokens of a reply.</source>
      <translation>Die Höchstzahl der Tokens einer Antwort.</translation>
    </message>
    <message>
      <source>The maximum; the length adapts to how many tokens are accepted.</source>
      <translation>Höchstens so viele; die Länge passt sich daran an, wie viele Tokens angenommen werden.</translation>
    </message>
    <message>
      <source>The memory that the worker held at the end of the reply.</source>
      <translation>Der Speicher, den der Worker am Ende der Antwort belegte.</translation>
    </message>
    <message>
      <source>The microphone cannot be used ({0}).</source>
      <translation>Das Mikrofon kann nicht benutzt werden ({0}).</translation>
    </message>
    <message>
      <source>The microphone gave no sound: check whether it is muted or used elsewhere.</source>
      <translation>Das Mikrofon gab keinen Ton: prüfen, ob es stummgeschaltet ist oder anderswo benutzt wird.</translation>
    </message>
    <message>
      <source>The minimum number of tokens of a reply.</source>
      <translation>Die Mindestzahl der Tokens einer Antwort.</translation>
    </message>
    <message>
      <source>The model answers prompts, and the ranges of each graph are measured meanwhile.</source>
      <translation>Das Modell beantwortet Eingaben; dabei werden die Wertebereiche jedes Graphen gemessen.</translation>
    </message>
    <message>
      <source>The model as it is</source>
      <translation>Das Modell, wie es ist</translation>
    </message>
    <message>
      <source>The model continues this text as if it had written it.</source>
      <translation>Das Modell fährt nach diesen Worten fort, als wären es seine eigenen.</translation>
    </message>
    <message>
      <source>The model marks nothing in these texts.</source>
      <translation>Das Modell markiert in diesen Texten nichts.</translation>
    </message>
    <message>
      <source>The model reads texts, and its weights are rounded with what they multiply there.</source>
      <translation>Das Modell liest Texte, und seine Gewichte werden mit dem gerundet, was sie dort multiplizieren.</translation>
    </message>
    <message>
      <source>The most memory that the process held during the run.</source>
      <translation>Der höchste Speicherbedarf des Prozesses während des Laufs.</translation>
    </message>
    <message>
      <source>The most probable token changed at {0} % of the positions.</source>
      <translation>Das wahrscheinlichste Token hat sich an {0} % der Stellen geändert.</translation>
    </message>
    <message>
      <source>The number of texts that are searched at once.</source>
      <translation>Wie viele Texte zugleich gesucht werden.</translation>
    </message>
    <message>
      <source>The only file is unchanged</source>
      <translation>Die eine Datei ist, wie sie geschrieben wurde</translation>
    </message>
    <message>
      <source>The only file of the bundle is unchanged.</source>
      <translation>Die eine Datei des Bündels ist, wie sie geschrieben wurde.</translation>
    </message>
    <message>
      <source>The operations on the logits before a token is chosen, in this order.</source>
      <translation>Was die Logits durchlaufen, bevor ein Token gewählt wird, Op für Op in dieser Reihenfolge.</translation>
    </message>
    <message>
      <source>The operator GroupQueryAttention writes the cache; a step costs only the used slots.</source>
      <translation>Der Operator GroupQueryAttention schreibt den Cache; ein Schritt kostet nur die belegten Slots.</translation>
    </message>
    <message>
      <source>The operator TensorScatter writes the cache; attention may have any mask or bias.</source>
      <translation>Der Operator TensorScatter schreibt den Cache; die Attention darf jede Maske und jeden Bias haben.</translation>
    </message>
    <message>
      <source>The output head decides between tokens: in 8 bits it loses almost nothing.</source>
      <translation>Der Ausgabekopf entscheidet zwischen Tokens: In 8 Bit verliert er fast nichts.</translation>
    </message>
    <message>
      <source>The parcel arrived on Tuesday.</source>
      <translation>Das Paket kam am Dienstag an.</translation>
    </message>
    <message>
      <source>The path must be absolute.</source>
      <translation>Der Pfad muss absolut sein.</translation>
    </message>
    <message>
      <source>The picture</source>
      <translation>Das Bild</translation>
    </message>
    <message>
      <source>The picture appears here.</source>
      <translation>Das Bild erscheint hier.</translation>
    </message>
    <message>
      <source>The picture could not be saved: {0}</source>
      <translation>Das Bild konnte nicht gespeichert werden: {0}</translation>
    </message>
    <message>
      <source>The picture could not be saved: {0}.</source>
      <translation>Das Bild konnte nicht gespeichert werden: {0}.</translation>
    </message>
    <message>
      <source>The picture {0} is missing: remove it, or put it back.</source>
      <translation>Das Bild {0} fehlt: es entfernen oder zurücklegen.</translation>
    </message>
    <message>
      <source>The picture {0} is missing; it is not sent.</source>
      <translation>Das Bild {0} fehlt; es wird nicht gesendet.</translation>
    </message>
    <message>
      <source>The pipeline file</source>
      <translation>Die Pipeline-Datei</translation>
    </message>
    <message>
      <source>The product after attention, small and sensitive.</source>
      <translation>Das Produkt nach der Attention, klein und empfindlich.</translation>
    </message>
    <message>
      <source>The prompt for both; A generates two tokens after it</source>
      <translation>Der Prompt für beide; A erzeugt danach zwei Tokens</translation>
    </message>
    <message>
      <source>The recipe is saved in the bundle; the same recipe builds the same bundle.</source>
      <translation>Das Rezept wird im Bundle gespeichert; dasselbe Rezept baut dasselbe Bundle.</translation>
    </message>
    <message>
      <source>The recipe of this build has replaced the unsaved recipe.</source>
      <translation>Das Rezept dieses Baus hat das ungespeicherte Rezept ersetzt.</translation>
    </message>
    <message>
      <source>The recording {0} is missing; it is not sent.</source>
      <translation>Die Aufnahme {0} fehlt; sie wird nicht gesendet.</translation>
    </message>
    <message>
      <source>The reply begins with</source>
      <translation>Die Antwort beginnt mit</translation>
    </message>
    <message>
      <source>The reply ends before any of these; \n stands for a line end.</source>
      <translation>Die Antwort endet vor einem von diesen; \n steht für ein Zeilenende.</translation>
    </message>
    <message>
      <source>The result of the divergence search is still available.</source>
      <translation>Das Ergebnis der Suche nach der Abweichung ist noch verfügbar.</translation>
    </message>
    <message>
      <source>The same seed samples the same tokens.</source>
      <translation>Derselbe Startwert zieht dieselben Tokens.</translation>
    </message>
    <message>
      <source>The samples read the token from the variable {0}.</source>
      <translation>Die Beispiele lesen das Token aus der Variablen {0}.</translation>
    </message>
    <message>
      <source>The screen is bright and the battery lasts two days.</source>
      <translation>Der Bildschirm ist hell, und der Akku hält zwei Tage.</translation>
    </message>
    <message>
      <source>The search was stopped without a result.</source>
      <translation>Die Suche wurde ohne Ergebnis angehalten.</translation>
    </message>
    <message>
      <source>The second product of each feed-forward block, with the largest inputs.</source>
      <translation>Das zweite Produkt jedes Feed-Forward-Blocks, mit den größten Eingaben.</translation>
    </message>
    <message>
      <source>The selected runs have no steps: only generations save them.</source>
      <translation>Die gewählten Läufe haben keine Schritte: nur Erzeugungen speichern sie.</translation>
    </message>
    <message>
      <source>The server could not be started ({0}).</source>
      <translation>Der Server konnte nicht gestartet werden ({0}).</translation>
    </message>
    <message>
      <source>The server ended unexpectedly: {0}.</source>
      <translation>Der Server endete unerwartet: {0}.</translation>
    </message>
    <message>
      <source>The server is running; closing the window stops it.</source>
      <translation>Der Server läuft; mit dem Fenster endet auch er.</translation>
    </message>
    <message>
      <source>The server runs at {0}.</source>
      <translation>Der Server läuft unter {0}.</translation>
    </message>
    <message>
      <source>The server starts; bundles are opened with the first request.</source>
      <translation>Der Server startet; Bundles werden mit der ersten Anfrage geöffnet.</translation>
    </message>
    <message>
      <source>The server's lines appear here once it was started.</source>
      <translation>Die Zeilen des Servers erscheinen hier, sobald er gestartet wurde.</translation>
    </message>
    <message>
      <source>The server's packages are missing: install them with {0}.</source>
      <translation>Die Pakete des Servers fehlen: Sie werden mit {0} installiert.</translation>
    </message>
    <message>
      <source>The session ended</source>
      <translation>Die Sitzung endete</translation>
    </message>
    <message>
      <source>The session is busy with another reply.</source>
      <translation>Die Sitzung ist mit einer anderen Antwort beschäftigt.</translation>
    </message>
    <message>
      <source>The settings are saved in {0}.</source>
      <translation>Die Einstellungen sind in {0} gespeichert.</translation>
    </message>
    <message>
      <source>The settings of {0} are in effect.</source>
      <translation>Die Einstellungen aus {0} gelten jetzt.</translation>
    </message>
    <message>
      <source>The settings under Sampling, in their default order. A change makes it a custom chain.</source>
      <translation>Die Einstellungen unter Sampling in ihrer vorgegebenen Reihenfolge. Eine Änderung macht daraus eine eigene Kette.</translation>
    </message>
    <message>
      <source>The share of the prompts' tokens that the cache held, and that were not read again.</source>
      <translation>Der Anteil der Tokens der Prompts, die im Cache waren und nicht noch einmal gelesen wurden.</translation>
    </message>
    <message>
      <source>The similarities of each two lines appear here.</source>
      <translation>Hier erscheinen die Ähnlichkeiten von je zwei Zeilen.</translation>
    </message>
    <message>
      <source>The smallest and fastest.</source>
      <translation>Am kleinsten und am schnellsten.</translation>
    </message>
    <message>
      <source>The smallest bundle that reaches {0} % of the model's score in {1}.</source>
      <translation>Das kleinste Bundle, das {0} % der Punktzahl des Modells in {1} erreicht.</translation>
    </message>
    <message>
      <source>The smallest bundle whose mean divergence (KL) is at most {0} nats.</source>
      <translation>Das kleinste Bundle, dessen mittlere Divergenz (KL) höchstens {0} nats beträgt.</translation>
    </message>
    <message>
      <source>The smallest bundle whose perplexity is at most {0} times the model's.</source>
      <translation>Das kleinste Bundle, dessen Perplexität höchstens das {0}-Fache der des Modells ist.</translation>
    </message>
    <message>
      <source>The smallest bundle whose top-1 agreement with the model is at least {0} %.</source>
      <translation>Das kleinste Bundle, dessen Top-1-Übereinstimmung mit dem Modell mindestens {0} % beträgt.</translation>
    </message>
    <message>
      <source>The state of fixed size, which every token replaces</source>
      <translation>Der Zustand fester Größe, den jedes Token ersetzt</translation>
    </message>
    <message>
      <source>The status line at the bottom of the window lists it.</source>
      <translation>Die Statuszeile unten im Fenster führt sie auf.</translation>
    </message>
    <message>
      <source>The table shows up to {0} lines; a search ranks all of them.</source>
      <translation>Die Tabelle zeigt bis zu {0} Zeilen; eine Suche ordnet alle.</translation>
    </message>
    <message>
      <source>The tasks were stopped; nothing was saved.</source>
      <translation>Die Aufgaben wurden angehalten; nichts wurde gespeichert.</translation>
    </message>
    <message>
      <source>The texts appear here by their rank.</source>
      <translation>Hier erscheinen die Texte nach ihrem Rang.</translation>
    </message>
    <message>
      <source>The texts have more than {0} characters: paste fewer at once.</source>
      <translation>Die Texte haben mehr als {0} Zeichen: weniger auf einmal einfügen.</translation>
    </message>
    <message>
      <source>The tour continues here when it is taken again: under Help, or by Ctrl+K.</source>
      <translation>Die Tour geht hier weiter, wenn sie wieder begonnen wird: unter Hilfe oder mit Strg+K.</translation>
    </message>
    <message>
      <source>The train to the coast leaves at nine.</source>
      <translation>Der Zug zur Küste fährt um neun.</translation>
    </message>
    <message>
      <source>The vocabularies differ in size ({0} and the model's {1}): a draft needs the same tokens.</source>
      <translation>Die Vokabulare sind verschieden groß ({0}, das des Modells {1}): ein Entwurf spricht dieselben Tokens.</translation>
    </message>
    <message>
      <source>The whole graph</source>
      <translation>Der ganze Graph</translation>
    </message>
    <message>
      <source>The worker is of Joinery {0}, and the window of {1}: install one version.</source>
      <translation>Der Worker gehört zu Joinery {0} und das Fenster zu {1}: eine Version installieren.</translation>
    </message>
    <message>
      <source>The worker process ended unexpectedly: {0}.</source>
      <translation>Der Worker-Prozess endete unerwartet: {0}.</translation>
    </message>
    <message>
      <source>The worker sent a line that is too long to be read, and was ended.</source>
      <translation>Der Worker sandte eine Zeile, die zu lang zum Lesen ist, und wurde beendet.</translation>
    </message>
    <message>
      <source>The worker's answer cannot be read.</source>
      <translation>Was der Worker antwortete, kann nicht gelesen werden.</translation>
    </message>
    <message>
      <source>Theme</source>
      <translation>Farbschema</translation>
    </message>
    <message>
      <source>Theme: dark</source>
      <translation>Farbschema: dunkel</translation>
    </message>
    <message>
      <source>Theme: follow the system</source>
      <translation>Farbschema: wie das System</translation>
    </message>
    <message>
      <source>Theme: light</source>
      <translation>Farbschema: hell</translation>
    </message>
    <message>
      <source>There are {0} lines, and at most {1} are read: paste fewer at once.</source>
      <translation>Es sind {0} Zeilen, und höchstens {1} werden gelesen: weniger auf einmal einfügen.</translation>
    </message>
    <message>
      <source>There are {0} pictures, and at most {1} are read: choose fewer.</source>
      <translation>Es sind {0} Bilder, und höchstens {1} werden gelesen: weniger wählen.</translation>
    </message>
    <message>
      <source>There is a file of this name; choose another folder.</source>
      <translation>Es gibt eine Datei dieses Namens; einen anderen Ordner wählen.</translation>
    </message>
    <message>
      <source>There is no bundle to export: open one first.</source>
      <translation>Es gibt kein Bundle zu exportieren: zuerst eines öffnen.</translation>
    </message>
    <message>
      <source>There is no folder for temporary files: check the free space and the permissions.</source>
      <translation>Es gibt keinen Ordner für temporäre Dateien: freien Platz und Rechte prüfen.</translation>
    </message>
    <message>
      <source>There is no picture: choose or drop one.</source>
      <translation>Es gibt kein Bild: eines wählen oder hierher ziehen.</translation>
    </message>
    <message>
      <source>There is no text: paste one in each line.</source>
      <translation>Es ist kein Text da: in jede Zeile einen einfügen.</translation>
    </message>
    <message>
      <source>There is one line alone: paste a second one to compare it with, or search.</source>
      <translation>Es ist nur eine Zeile da: eine zweite zum Vergleichen einfügen oder suchen.</translation>
    </message>
    <message>
      <source>Thinking of the model</source>
      <translation>Denken des Modells</translation>
    </message>
    <message>
      <source>Thinking …</source>
      <translation>Denkt nach …</translation>
    </message>
    <message>
      <source>This build</source>
      <translation>Dieser Bau</translation>
    </message>
    <message>
      <source>This bundle</source>
      <translation>Dieses Bundle</translation>
    </message>
    <message>
      <source>This bundle estimates how far things are: drop a picture, or choose one.</source>
      <translation>Dieses Bundle schätzt, wie weit Dinge entfernt sind: ein Bild hierher ziehen oder wählen.</translation>
    </message>
    <message>
      <source>This bundle gives a picture one of its labels: drop a picture, or choose one.</source>
      <translation>Dieses Bundle gibt einem Bild eines seiner Labels: ein Bild hierher ziehen oder wählen.</translation>
    </message>
    <message>
      <source>This bundle gives a text one of its labels: paste texts and classify them.</source>
      <translation>Dieses Bundle gibt einem Text eines seiner Labels: Texte einfügen und klassifizieren.</translation>
    </message>
    <message>
      <source>This bundle has no recipe.</source>
      <translation>Dieses Bundle hat kein Rezept.</translation>
    </message>
    <message>
      <source>This bundle makes vectors of texts: paste lines and compare them.</source>
      <translation>Dieses Bundle macht aus Texten Vektoren: Zeilen einfügen und vergleichen.</translation>
    </message>
    <message>
      <source>This bundle marks parts of a text, such as names: paste texts and classify them.</source>
      <translation>Dieses Bundle markiert Teile eines Textes, etwa Namen: Texte einfügen und klassifizieren.</translation>
    </message>
    <message>
      <source>This bundle scores texts for a query: write the query, paste the texts, and rank them. Without a query it gives each text its number.</source>
      <translation>Dieses Bundle bewertet Texte für eine Anfrage: die Anfrage schreiben, die Texte einfügen und ordnen. Ohne Anfrage gibt es jedem Text seine Zahl.</translation>
    </message>
    <message>
      <source>This bundle transcribes recordings: choose or drop a sound file.</source>
      <translation>Dieses Bundle schreibt Aufnahmen ab: eine Tondatei wählen oder hierher ziehen.</translation>
    </message>
    <message>
      <source>This bundle writes no replies: a benchmark measures its runs, and History lists the results.</source>
      <translation>Dieses Bundle schreibt keine Antworten: ein Benchmark misst seine Läufe, und der Verlauf führt die Ergebnisse auf.</translation>
    </message>
    <message>
      <source>This chat could not be saved.</source>
      <translation>Dieser Chat konnte nicht gespeichert werden.</translation>
    </message>
    <message>
      <source>This checkpoint contains a Python file, which would run on this machine:</source>
      <translation>Dieser Checkpoint enthält eine Python-Datei, die auf diesem Rechner laufen würde:</translation>
    </message>
    <message>
      <source>This checkpoint contains {0} Python files, which would run on this machine:</source>
      <translation>Dieser Checkpoint enthält {0} Python-Dateien, die auf diesem Rechner laufen würden:</translation>
    </message>
    <message>
      <source>This folder cannot be used: {0}.</source>
      <translation>Dieser Ordner kann nicht verwendet werden: {0}.</translation>
    </message>
    <message>
      <source>This folder is not empty; choose one that does not exist yet.</source>
      <translation>Dieser Ordner ist nicht leer; einen wählen, den es noch nicht gibt.</translation>
    </message>
    <message>
      <source>This folder of onnxruntime-genai is read in place; nothing is written to it.</source>
      <translation>Dieser Ordner von onnxruntime-genai wird an Ort und Stelle gelesen; nichts wird hineingeschrieben.</translation>
    </message>
    <message>
      <source>This link leads out of Joinery:</source>
      <translation>Dieser Verweis führt aus Joinery hinaus:</translation>
    </message>
    <message>
      <source>This machine</source>
      <translation>Dieser Rechner</translation>
    </message>
    <message>
      <source>This machine alone</source>
      <translation>Nur von diesem Rechner</translation>
    </message>
    <message>
      <source>This machine has no microphone: connect one, or choose a sound file.</source>
      <translation>Dieser Rechner hat kein Mikrofon: eines anschließen oder eine Tondatei wählen.</translation>
    </message>
    <message>
      <source>This machine has no sound output: connect a loudspeaker or headphones.</source>
      <translation>Dieser Rechner hat keine Tonausgabe: einen Lautsprecher oder Kopfhörer anschließen.</translation>
    </message>
    <message>
      <source>This model has no cache.</source>
      <translation>Dieses Modell hat keinen Cache.</translation>
    </message>
    <message>
      <source>This page</source>
      <translation>Diese Seite</translation>
    </message>
    <message>
      <source>This part of the time axis has no steps.</source>
      <translation>Dieser Teil der Zeitachse hat keine Schritte.</translation>
    </message>
    <message>
      <source>This processor</source>
      <translation>Dieser Prozessor</translation>
    </message>
    <message>
      <source>Thought for {0}, {1}</source>
      <translation>{0} lang nachgedacht, {1}</translation>
    </message>
    <message>
      <source>Thoughts</source>
      <translation>Gedanken</translation>
    </message>
    <message>
      <source>Time</source>
      <translation>Zeit</translation>
    </message>
    <message>
      <source>Time every node of the bundle</source>
      <translation>Die Zeit jedes Knotens des Bundles messen</translation>
    </message>
    <message>
      <source>Time int4 formats on this processor</source>
      <translation>int4-Formate auf diesem Prozessor messen</translation>
    </message>
    <message>
      <source>Time the formats</source>
      <translation>Formate messen</translation>
    </message>
    <message>
      <source>Time to first token: from the prompt's first chunk to the first generated token. A beam search, which gives all tokens at its end, divides its time among them.</source>
      <translation>Zeit bis zum ersten Token: vom ersten Chunk des Prompts bis zum ersten erzeugten Token. Eine Beam-Suche, die alle Tokens an ihrem Ende gibt, verteilt ihre Zeit auf sie.</translation>
    </message>
    <message>
      <source>Times products with this model's sizes (for a small one those of a common model) in each block format, in about a minute. Builds on this computer then take the fastest format that rounds no coarser than the default, and models run with as many threads as are fastest.</source>
      <translation>Misst Produkte in den Größen dieses Modells (bei einem kleinen in denen eines üblichen) in jedem Blockformat, etwa eine Minute lang. Builds auf diesem Rechner nehmen dann das schnellste Format, das nicht gröber rundet als die Vorgabe, und Modelle laufen mit so vielen Threads, wie am schnellsten sind.</translation>
    </message>
    <message>
      <source>Timing formats</source>
      <translation>Formate werden gemessen</translation>
    </message>
    <message>
      <source>Timing: {0}</source>
      <translation>Messung: {0}</translation>
    </message>
    <message>
      <source>To begin</source>
      <translation>Für den Anfang</translation>
    </message>
    <message>
      <source>To build</source>
      <translation>Zum Bauen</translation>
    </message>
    <message>
      <source>Token</source>
      <translation>Token</translation>
    </message>
    <message>
      <source>Tokenizer</source>
      <translation>Tokenizer</translation>
    </message>
    <message>
      <source>Tokenizer folder (optional)</source>
      <translation>Tokenizer-Ordner (freiwillig)</translation>
    </message>
    <message>
      <source>Tokens a second</source>
      <translation>Tokens je Sekunde</translation>
    </message>
    <message>
      <source>Tokens of a text</source>
      <translation>Tokens eines Textes</translation>
    </message>
    <message>
      <source>Tokens per draft</source>
      <translation>Tokens eines Entwurfs</translation>
    </message>
    <message>
      <source>Tokens that a run of the model gives with drafts, on average.</source>
      <translation>Tokens, die ein Modelllauf mit Entwürfen im Mittel ergibt.</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>Werkzeuge</translation>
    </message>
    <message>
      <source>Top-k</source>
      <translation>Top-k</translation>
    </message>
    <message>
      <source>Top-p</source>
      <translation>Top-p</translation>
    </message>
    <message>
      <source>Tour: step {0} of {1}</source>
      <translation>Tour: Schritt {0} von {1}</translation>
    </message>
    <message>
      <source>Transcribe</source>
      <translation>Transkribieren</translation>
    </message>
    <message>
      <source>Transcribe a recording</source>
      <translation>Eine Aufnahme abschreiben</translation>
    </message>
    <message>
      <source>Transcribe a recording …</source>
      <translation>Aufnahme abschreiben …</translation>
    </message>
    <message>
      <source>Translate into English</source>
      <translation>Ins Englische übersetzen</translation>
    </message>
    <message>
      <source>Translates a text.</source>
      <translation>Übersetzt einen Text.</translation>
    </message>
    <message>
      <source>Try a bundle on a device</source>
      <translation>Ein Bundle auf einem Gerät erproben</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal</translation>
    </message>
    <message>
      <source>Try again …</source>
      <translation>Noch einmal versuchen …</translation>
    </message>
    <message>
      <source>Try the demo</source>
      <translation>Demo ausprobieren</translation>
    </message>
    <message>
      <source>Try the demo: its build takes about a minute and needs no network. Or drop a folder or an .onnx file anywhere on the window.</source>
      <translation>Die Demo ausprobieren: ihr Bau dauert etwa eine Minute und braucht kein Netz. Oder einen Ordner oder eine .onnx-Datei irgendwo auf dem Fenster ablegen.</translation>
    </message>
    <message>
      <source>Trying on a device</source>
      <translation>Wird auf einem Gerät versucht</translation>
    </message>
    <message>
      <source>Two graphs are compared. Assemble them instead if they are parts of one model.</source>
      <translation>Zwei Graphen werden verglichen. Sie können stattdessen zusammengesetzt werden, wenn sie Teile eines Modells sind.</translation>
    </message>
    <message>
      <source>Type</source>
      <translation>Typ</translation>
    </message>
    <message>
      <source>Typical</source>
      <translation>Typisch</translation>
    </message>
    <message>
      <source>Typical-p</source>
      <translation>Typical-p</translation>
    </message>
    <message>
      <source>Typical: accepts any likely drafted token; fastest, but changes the distribution.</source>
      <translation>Typisch: Jedes wahrscheinliche entworfene Token wird genommen, was am schnellsten ist und die Wahrscheinlichkeiten ändert.</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>Rückgängig</translation>
    </message>
    <message>
      <source>Undo (Ctrl+Z)</source>
      <translation>Rückgängig (Strg+Z)</translation>
    </message>
    <message>
      <source>Undo removing a bundle from the list</source>
      <translation>Entfernen eines Bundles aus der Liste rückgängig machen</translation>
    </message>
    <message>
      <source>Undo: restore {0}</source>
      <translation>Rückgängig: {0} wiederherstellen</translation>
    </message>
    <message>
      <source>Unfinished builds</source>
      <translation>Unfertige Baue</translation>
    </message>
    <message>
      <source>Uninstall</source>
      <translation>Deinstallieren</translation>
    </message>
    <message>
      <source>Uninstalling</source>
      <translation>Wird deinstalliert</translation>
    </message>
    <message>
      <source>Untitled</source>
      <translation>Ohne Titel</translation>
    </message>
    <message>
      <source>Up (Alt+Up)</source>
      <translation>Nach oben (Alt+Auf)</translation>
    </message>
    <message>
      <source>Up and Down choose a segment, Enter plays the recording from there.</source>
      <translation>Pfeil auf und ab wählen einen Abschnitt, Eingabe spielt die Aufnahme von dort ab.</translation>
    </message>
    <message>
      <source>Up, in an empty field</source>
      <translation>Auf, im leeren Feld</translation>
    </message>
    <message>
      <source>Use of the adapters</source>
      <translation>Verwendung der Adapter</translation>
    </message>
    <message>
      <source>Use the CPU</source>
      <translation>CPU verwenden</translation>
    </message>
    <message>
      <source>Use the model's chain</source>
      <translation>Kette des Modells verwenden</translation>
    </message>
    <message>
      <source>Use the picture {0}</source>
      <translation>Das Bild {0} verwenden</translation>
    </message>
    <message>
      <source>Valid.</source>
      <translation>Gültig.</translation>
    </message>
    <message>
      <source>Value</source>
      <translation>Wert</translation>
    </message>
    <message>
      <source>Vectors are computed</source>
      <translation>Vektoren werden berechnet</translation>
    </message>
    <message>
      <source>Vendor</source>
      <translation>Hersteller</translation>
    </message>
    <message>
      <source>Verify bundle</source>
      <translation>Bundle prüfen</translation>
    </message>
    <message>
      <source>Verify files</source>
      <translation>Dateien prüfen</translation>
    </message>
    <message>
      <source>Verify the bundle's files</source>
      <translation>Dateien des Bundles prüfen</translation>
    </message>
    <message>
      <source>Version 1, for the released package</source>
      <translation>Version 1, für das veröffentlichte Paket</translation>
    </message>
    <message>
      <source>Version 2, as proposed</source>
      <translation>Version 2, wie vorgeschlagen</translation>
    </message>
    <message>
      <source>Version of the configuration</source>
      <translation>Version der Konfiguration</translation>
    </message>
    <message>
      <source>Version {0} of {1}</source>
      <translation>Fassung {0} von {1}</translation>
    </message>
    <message>
      <source>View</source>
      <translation>Ansicht</translation>
    </message>
    <message>
      <source>Views of the selected runs</source>
      <translation>Ansichten der gewählten Läufe</translation>
    </message>
    <message>
      <source>Visible part of {0}</source>
      <translation>Sichtbarer Teil von {0}</translation>
    </message>
    <message>
      <source>Vision: colour, shape and number of drawn shapes</source>
      <translation>Vision: Farbe, Form und Anzahl gezeichneter Formen</translation>
    </message>
    <message>
      <source>Vocabulary</source>
      <translation>Vokabular</translation>
    </message>
    <message>
      <source>Wait</source>
      <translation>Warten</translation>
    </message>
    <message>
      <source>Warnings</source>
      <translation>Warnungen</translation>
    </message>
    <message>
      <source>Waveform of {0}</source>
      <translation>Wellenform von {0}</translation>
    </message>
    <message>
      <source>Weights</source>
      <translation>Gewichte</translation>
    </message>
    <message>
      <source>Weights are in {0}, which is recommended for it; see Quantize.</source>
      <translation>Die Gewichte sind in {0}, was dafür empfohlen ist; siehe Quantisieren.</translation>
    </message>
    <message>
      <source>Weights stay as the checkpoint stores them, which is recommended for it; see Quantize.</source>
      <translation>Die Gewichte bleiben, wie der Checkpoint sie speichert; das ist dafür empfohlen; siehe Quantisieren.</translation>
    </message>
    <message>
      <source>Weights that share a scale</source>
      <translation>Gewichte, die eine Skala teilen</translation>
    </message>
    <message>
      <source>Weights, and activations with a known shape; after a measurement, all activations.</source>
      <translation>Gewichte und Aktivierungen, deren Formen der Graph sagt; gemessen alle Aktivierungen.</translation>
    </message>
    <message>
      <source>Welcome: what this machine can do</source>
      <translation>Willkommen: was dieser Rechner kann</translation>
    </message>
    <message>
      <source>Well-known models</source>
      <translation>Bekannte Modelle</translation>
    </message>
    <message>
      <source>Well-known models by size</source>
      <translation>Bekannte Modelle nach Größe</translation>
    </message>
    <message>
      <source>What building needs is installed: start again what was missing it.</source>
      <translation>Was das Bauen braucht, ist installiert: noch einmal starten, wobei es fehlte.</translation>
    </message>
    <message>
      <source>What can you help me with?</source>
      <translation>Wobei kannst du mir helfen?</translation>
    </message>
    <message>
      <source>What is 8 times 7?</source>
      <translation>Was ist 8 mal 7?</translation>
    </message>
    <message>
      <source>What is shown</source>
      <translation>Was gezeigt wird</translation>
    </message>
    <message>
      <source>What is the capital of France?</source>
      <translation>Was ist die Hauptstadt von Frankreich?</translation>
    </message>
    <message>
      <source>What is the opposite of hot?</source>
      <translation>Was ist das Gegenteil von heiß?</translation>
    </message>
    <message>
      <source>What is written</source>
      <translation>Was geschrieben wird</translation>
    </message>
    <message>
      <source>What quantizing cost was not measured: {0}.</source>
      <translation>Was das Quantisieren gekostet hat, wurde nicht gemessen: {0}.</translation>
    </message>
    <message>
      <source>What the build reports, line by line</source>
      <translation>Was der Bau meldet, Zeile für Zeile</translation>
    </message>
    <message>
      <source>What the program did when it ended: versions and lines of code, without prompts or texts of yours. The report is on this machine alone; nothing was sent.</source>
      <translation>Was das Programm tat, als es endete: Versionen und Codezeilen, keine Prompts und keine Texte von Ihnen. Der Bericht liegt nur auf diesem Rechner; nichts wurde gesendet.</translation>
    </message>
    <message>
      <source>What they do</source>
      <translation>Was sie tun</translation>
    </message>
    <message>
      <source>What this machine can do</source>
      <translation>Was dieser Rechner kann</translation>
    </message>
    <message>
      <source>When the search stops.</source>
      <translation>Wann die Suche endet.</translation>
    </message>
    <message>
      <source>Where</source>
      <translation>Wo</translation>
    </message>
    <message>
      <source>Where the server runs</source>
      <translation>Wo der Server läuft</translation>
    </message>
    <message>
      <source>Where the source has PyTorch with CUDA for Linux, it needs about 8 GB.</source>
      <translation>Wo die Quelle PyTorch mit CUDA für Linux hat, braucht es etwa 8 GB.</translation>
    </message>
    <message>
      <source>Which drafted tokens are accepted</source>
      <translation>Welche entworfenen Tokens genommen werden</translation>
    </message>
    <message>
      <source>Whisper: spoken digits in English and German</source>
      <translation>Whisper: gesprochene Ziffern auf Englisch und Deutsch</translation>
    </message>
    <message>
      <source>Whoever is logged in on {0} reaches it there; with a token, only your clients do.</source>
      <translation>Wer auf {0} angemeldet ist, erreicht ihn dort; mit einem Token tun es nur Ihre Clients.</translation>
    </message>
    <message>
      <source>Window</source>
      <translation>Fenster</translation>
    </message>
    <message>
      <source>Window: slides on</source>
      <translation>Fenster: gleitet weiter</translation>
    </message>
    <message>
      <source>With OpenAI's package: pip install openai</source>
      <translation>Mit dem Paket von OpenAI: pip install openai</translation>
    </message>
    <message>
      <source>With another file…</source>
      <translation>Mit einer anderen Datei…</translation>
    </message>
    <message>
      <source>With its wait; then it is cancelled.</source>
      <translation>Mit der Wartezeit; dann wird sie abgebrochen.</translation>
    </message>
    <message>
      <source>With the stage before</source>
      <translation>Mit der vorigen Stufe</translation>
    </message>
    <message>
      <source>With “{0}”</source>
      <translation>Mit „{0}“</translation>
    </message>
    <message>
      <source>Work is still running; closing the window stops it.</source>
      <translation>Es läuft noch Arbeit; das Schließen des Fensters hält sie an.</translation>
    </message>
    <message>
      <source>Write</source>
      <translation>Schreiben</translation>
    </message>
    <message>
      <source>Write a JSON object.</source>
      <translation>Ein JSON-Objekt schreiben.</translation>
    </message>
    <message>
      <source>Write a prompt</source>
      <translation>Prompt schreiben</translation>
    </message>
    <message>
      <source>Write a report on a bundle</source>
      <translation>Einen Bericht über ein Bundle schreiben</translation>
    </message>
    <message>
      <source>Write a short poem about a carpenter.</source>
      <translation>Schreibe ein kurzes Gedicht über eine Tischlerin.</translation>
    </message>
    <message>
      <source>Write a token's id and what is added, as in 7: 2.5.</source>
      <translation>Die Nummer eines Tokens schreiben, und was addiert wird, wie in 7: 2.5.</translation>
    </message>
    <message>
      <source>Write as a GGUF file for llama.cpp</source>
      <translation>Als GGUF-Datei für llama.cpp schreiben</translation>
    </message>
    <message>
      <source>Write the bundle as a GGUF file</source>
      <translation>Das Bundle als GGUF-Datei schreiben</translation>
    </message>
    <message>
      <source>Write the bundle as a GGUF file …</source>
      <translation>Bundle als GGUF-Datei schreiben …</translation>
    </message>
    <message>
      <source>Writes down speech.</source>
      <translation>Schreibt Gesprochenes auf.</translation>
    </message>
    <message>
      <source>Writes weights, tokenizer and chat template of {0} as one file for llama.cpp and the programs that are made of it, and reads it again before it is kept. What GGUF cannot say with the same numbers is refused.</source>
      <translation>Schreibt Gewichte, Tokenizer und Chat-Vorlage von {0} als eine Datei für llama.cpp und die Programme, die darauf bauen, und liest sie zur Prüfung wieder ein. Was GGUF nicht mit denselben Zahlen sagen kann, wird abgelehnt.</translation>
    </message>
    <message>
      <source>Writes {0} as a folder with genai_config.json, tokenizer, and samples in Python and C++ that run it without Joinery. Features that the format cannot express are refused before anything is written.</source>
      <translation>Schreibt {0} als Ordner mit genai_config.json, Tokenizer und Beispielen in Python und C++, die es ohne Joinery ausführen. Was das Format nicht ausdrücken kann, wird abgelehnt, bevor etwas geschrieben wird.</translation>
    </message>
    <message>
      <source>Writing a GGUF file</source>
      <translation>GGUF-Datei wird geschrieben</translation>
    </message>
    <message>
      <source>Writing a report</source>
      <translation>Bericht wird geschrieben</translation>
    </message>
    <message>
      <source>Writing {0} …</source>
      <translation>{0} wird geschrieben …</translation>
    </message>
    <message>
      <source>Written by</source>
      <translation>Geschrieben von</translation>
    </message>
    <message>
      <source>Written to {0}.</source>
      <translation>Nach {0} geschrieben.</translation>
    </message>
    <message>
      <source>Written to {0}. Run it with: python sample.py "a prompt"</source>
      <translation>Nach {0} geschrieben. Ausführen mit: python sample.py "ein Prompt"</translation>
    </message>
    <message>
      <source>Written: {0}</source>
      <translation>Geschrieben: {0}</translation>
    </message>
    <message>
      <source>Yes or no</source>
      <translation>Ja oder nein</translation>
    </message>
    <message>
      <source>You</source>
      <translation>Ich</translation>
    </message>
    <message>
      <source>You can cancel the build and resume it later.</source>
      <translation>Der Bau kann abgebrochen und später fortgesetzt werden.</translation>
    </message>
    <message>
      <source>You can edit the recipe here; errors are shown below it.</source>
      <translation>Das Rezept kann hier bearbeitet werden; Fehler stehen darunter.</translation>
    </message>
    <message>
      <source>Your data is in {0}</source>
      <translation>Die Daten liegen in {0}</translation>
    </message>
    <message>
      <source>Your own are in a text file with one in each line, or in the folder of a data set.</source>
      <translation>Eigene stehen in einer Textdatei, je Zeile eine, oder im Ordner eines Datensatzes.</translation>
    </message>
    <message>
      <source>a TOML file; Help → Documentation → Sweeps</source>
      <translation>eine TOML-Datei; Hilfe → Dokumentation → Sweeps</translation>
    </message>
    <message>
      <source>a better text is unlikely</source>
      <translation>ein besserer Text unwahrscheinlich ist</translation>
    </message>
    <message>
      <source>a checkpoint's folder, demo:NAME, a hub id</source>
      <translation>der Ordner eines Checkpoints, demo:NAME, eine Hub-Id</translation>
    </message>
    <message>
      <source>a divergence (KL) of at most</source>
      <translation>eine Divergenz (KL) von höchstens</translation>
    </message>
    <message>
      <source>a divergence (KL) of at most {0}</source>
      <translation>eine Divergenz (KL) von höchstens {0}</translation>
    </message>
    <message>
      <source>a few built-in English sentences</source>
      <translation>einige eingebaute englische Sätze</translation>
    </message>
    <message>
      <source>a free one</source>
      <translation>ein freier</translation>
    </message>
    <message>
      <source>a new line</source>
      <translation>eine neue Zeile</translation>
    </message>
    <message>
      <source>a new one, or that of a sweep</source>
      <translation>ein neuer oder der einer Versuchsreihe</translation>
    </message>
    <message>
      <source>a perplexity ratio of at most</source>
      <translation>ein Perplexitätsverhältnis von höchstens</translation>
    </message>
    <message>
      <source>a perplexity ratio of at most {0}</source>
      <translation>ein Perplexitätsverhältnis von höchstens {0}</translation>
    </message>
    <message>
      <source>a request takes at most {0}</source>
      <translation>eine Anfrage dauert höchstens {0}</translation>
    </message>
    <message>
      <source>a share of the score of at least {0}</source>
      <translation>ein Anteil der Punktzahl von mindestens {0}</translation>
    </message>
    <message>
      <source>about {0}</source>
      <translation>etwa {0}</translation>
    </message>
    <message>
      <source>about {0} left</source>
      <translation>noch etwa {0}</translation>
    </message>
    <message>
      <source>about {0}, plus the search</source>
      <translation>etwa {0}, dazu die Suche</translation>
    </message>
    <message>
      <source>accept rate</source>
      <translation>Annahmerate</translation>
    </message>
    <message>
      <source>accepted tokens of a step</source>
      <translation>angenommene Tokens eines Schritts</translation>
    </message>
    <message>
      <source>accuracy, perplexity, KL, top-1</source>
      <translation>Genauigkeit, Perplexität, KL, Top-1</translation>
    </message>
    <message>
      <source>added</source>
      <translation>hinzugefügt</translation>
    </message>
    <message>
      <source>after a load</source>
      <translation>nach dem Laden</translation>
    </message>
    <message>
      <source>after a rewind</source>
      <translation>nach dem Zurückspulen</translation>
    </message>
    <message>
      <source>against</source>
      <translation>gegen</translation>
    </message>
    <message>
      <source>all</source>
      <translation>alle</translation>
    </message>
    <message>
      <source>all {0} tokens are equal</source>
      <translation>alle {0} Tokens sind gleich</translation>
    </message>
    <message>
      <source>allocated, empty</source>
      <translation>belegt, leer</translation>
    </message>
    <message>
      <source>allocated, empty or padding</source>
      <translation>belegt, leer oder Auffüllung</translation>
    </message>
    <message>
      <source>almost the same</source>
      <translation>fast gleich</translation>
    </message>
    <message numerus="yes">
      <source>and %n more</source>
      <translation>
        <numerusform>und %n weiterer</numerusform>
        <numerusform>und %n weitere</numerusform>
      </translation>
    </message>
    <message>
      <source>and 1 in a subgraph</source>
      <translation>und 1 darin</translation>
    </message>
    <message>
      <source>and {0} in subgraphs</source>
      <translation>und {0} darin</translation>
    </message>
    <message>
      <source>answered</source>
      <translation>beantwortet</translation>
    </message>
    <message>
      <source>as all</source>
      <translation>wie alle</translation>
    </message>
    <message>
      <source>as built</source>
      <translation>wie gebaut</translation>
    </message>
    <message>
      <source>as it is</source>
      <translation>unverändert</translation>
    </message>
    <message>
      <source>as the other weights</source>
      <translation>wie die übrigen Gewichte</translation>
    </message>
    <message>
      <source>at most {0}</source>
      <translation>höchstens {0}</translation>
    </message>
    <message>
      <source>at {0} s</source>
      <translation>bei {0} s</translation>
    </message>
    <message>
      <source>available</source>
      <translation>verfügbar</translation>
    </message>
    <message>
      <source>back to {0}</source>
      <translation>zurück auf {0}</translation>
    </message>
    <message>
      <source>before it began</source>
      <translation>bevor es begann</translation>
    </message>
    <message>
      <source>benchmark, speed, tokens a second</source>
      <translation>Benchmark, Tempo, Tokens pro Sekunde</translation>
    </message>
    <message>
      <source>beside plain</source>
      <translation>gegenüber ohne</translation>
    </message>
    <message>
      <source>block size, threads, fastest</source>
      <translation>Blockgröße, Threads, am schnellsten</translation>
    </message>
    <message>
      <source>blocked</source>
      <translation>blockiert</translation>
    </message>
    <message>
      <source>both</source>
      <translation>beide</translation>
    </message>
    <message>
      <source>build</source>
      <translation>Bau</translation>
    </message>
    <message>
      <source>bundle</source>
      <translation>Bundle</translation>
    </message>
    <message>
      <source>by itself</source>
      <translation>von sich aus</translation>
    </message>
    <message>
      <source>cache</source>
      <translation>Cache</translation>
    </message>
    <message>
      <source>cache (tokens)</source>
      <translation>Cache (Tokens)</translation>
    </message>
    <message>
      <source>cache in use</source>
      <translation>belegter Cache</translation>
    </message>
    <message>
      <source>cache {0} of {1}</source>
      <translation>Cache {0} von {1}</translation>
    </message>
    <message>
      <source>cancelled</source>
      <translation>abgebrochen</translation>
    </message>
    <message>
      <source>candidate</source>
      <translation>Kandidat</translation>
    </message>
    <message>
      <source>capacity {0}</source>
      <translation>Kapazität {0}</translation>
    </message>
    <message>
      <source>changed</source>
      <translation>geändert</translation>
    </message>
    <message>
      <source>changed nothing</source>
      <translation>änderte nichts</translation>
    </message>
    <message>
      <source>chat</source>
      <translation>Chat</translation>
    </message>
    <message>
      <source>chat template</source>
      <translation>Chat-Vorlage</translation>
    </message>
    <message>
      <source>check, support, fallback</source>
      <translation>prüfen, Unterstützung, Ausweichen</translation>
    </message>
    <message>
      <source>checked {0}</source>
      <translation>geprüft {0}</translation>
    </message>
    <message>
      <source>checkpoint</source>
      <translation>Checkpoint</translation>
    </message>
    <message>
      <source>closed</source>
      <translation>zu</translation>
    </message>
    <message>
      <source>code</source>
      <translation>Code</translation>
    </message>
    <message>
      <source>collapsed</source>
      <translation>zugeklappt</translation>
    </message>
    <message>
      <source>compared with</source>
      <translation>verglichen mit</translation>
    </message>
    <message>
      <source>complete, reply, translate, transcribe</source>
      <translation>vervollständigen, antworten, übersetzen, transkribieren</translation>
    </message>
    <message>
      <source>completion</source>
      <translation>Fortsetzung</translation>
    </message>
    <message>
      <source>component</source>
      <translation>Komponente</translation>
    </message>
    <message>
      <source>computed once per source by the encoder, then only read</source>
      <translation>vom Encoder einmal je Quelle berechnet und von da an nur gelesen</translation>
    </message>
    <message>
      <source>context 1 token</source>
      <translation>Kontext 1 Token</translation>
    </message>
    <message>
      <source>context {0} of {1} tokens</source>
      <translation>Kontext {0} von {1} Tokens</translation>
    </message>
    <message>
      <source>context {0} tokens</source>
      <translation>Kontext {0} Tokens</translation>
    </message>
    <message>
      <source>context, cache, EPContext</source>
      <translation>Kontext, Cache, EPContext</translation>
    </message>
    <message>
      <source>context: no bundle is open</source>
      <translation>Kontext: kein Bundle ist offen</translation>
    </message>
    <message>
      <source>context: the bundle is not loaded</source>
      <translation>Kontext: Das Bundle ist nicht geladen</translation>
    </message>
    <message>
      <source>convert, export, quantize</source>
      <translation>konvertieren, exportieren, quantisieren</translation>
    </message>
    <message>
      <source>could not be opened</source>
      <translation>konnte nicht geöffnet werden</translation>
    </message>
    <message>
      <source>custom, {0}</source>
      <translation>eigene, {0}</translation>
    </message>
    <message>
      <source>decode</source>
      <translation>Decode</translation>
    </message>
    <message>
      <source>decode token</source>
      <translation>Decode-Token</translation>
    </message>
    <message>
      <source>decode “{0}”</source>
      <translation>Decode „{0}“</translation>
    </message>
    <message>
      <source>decoded token</source>
      <translation>Decode-Token</translation>
    </message>
    <message>
      <source>default</source>
      <translation>Vorgabe</translation>
    </message>
    <message>
      <source>default: the test questions of the demo, or plain sentences</source>
      <translation>Vorgabe: die Testfragen der Demo oder einfache Sätze</translation>
    </message>
    <message>
      <source>depth</source>
      <translation>Tiefe</translation>
    </message>
    <message>
      <source>depth {0}, {1}: {2}</source>
      <translation>Tiefe {0}, {1}: {2}</translation>
    </message>
    <message>
      <source>depth, in nodes</source>
      <translation>Tiefe, in Knoten</translation>
    </message>
    <message>
      <source>difference, divergence, wrong</source>
      <translation>Unterschied, Abweichung, falsch</translation>
    </message>
    <message>
      <source>digest</source>
      <translation>Digest</translation>
    </message>
    <message>
      <source>disk, clear, size</source>
      <translation>Datenträger, leeren, Größe</translation>
    </message>
    <message>
      <source>does not run</source>
      <translation>läuft nicht</translation>
    </message>
    <message>
      <source>done</source>
      <translation>fertig</translation>
    </message>
    <message>
      <source>drafted by {0} and accepted</source>
      <translation>entworfen durch {0} und angenommen</translation>
    </message>
    <message>
      <source>drafts</source>
      <translation>Entwürfe</translation>
    </message>
    <message>
      <source>edit the last question</source>
      <translation>die letzte Frage bearbeiten</translation>
    </message>
    <message>
      <source>embedding, similarity, search</source>
      <translation>Embedding, Ähnlichkeit, Suche</translation>
    </message>
    <message>
      <source>embeddings</source>
      <translation>Vektoren</translation>
    </message>
    <message>
      <source>empty</source>
      <translation>leer</translation>
    </message>
    <message>
      <source>empty, its token is gone</source>
      <translation>leer, sein Token ist fort</translation>
    </message>
    <message>
      <source>empty: no session of this bundle runs</source>
      <translation>leer: keine Sitzung dieses Bundles läuft</translation>
    </message>
    <message>
      <source>empty: no token has been generated yet</source>
      <translation>leer: noch nichts wurde erzeugt</translation>
    </message>
    <message>
      <source>empty; its token is gone</source>
      <translation>leer; sein Token ist fort</translation>
    </message>
    <message>
      <source>enough texts have ended</source>
      <translation>genug Texte zu Ende sind</translation>
    </message>
    <message>
      <source>equal so far</source>
      <translation>bisher gleich</translation>
    </message>
    <message>
      <source>evaluated against</source>
      <translation>ausgewertet gegen</translation>
    </message>
    <message>
      <source>evaluation</source>
      <translation>Auswertung</translation>
    </message>
    <message>
      <source>everywhere</source>
      <translation>überall</translation>
    </message>
    <message>
      <source>exact</source>
      <translation>exakt</translation>
    </message>
    <message>
      <source>expanded</source>
      <translation>aufgeklappt</translation>
    </message>
    <message>
      <source>export</source>
      <translation>Export</translation>
    </message>
    <message>
      <source>extensions, packages</source>
      <translation>Erweiterungen, Pakete</translation>
    </message>
    <message>
      <source>failed</source>
      <translation>fehlgeschlagen</translation>
    </message>
    <message>
      <source>failed: {0}</source>
      <translation>fehlgeschlagen: {0}</translation>
    </message>
    <message>
      <source>figure</source>
      <translation>Zahl</translation>
    </message>
    <message>
      <source>filled</source>
      <translation>gefüllt</translation>
    </message>
    <message>
      <source>filled over an evicted token</source>
      <translation>über ein verdrängtes Token gefüllt</translation>
    </message>
    <message>
      <source>filled, of a picture</source>
      <translation>gefüllt, von einem Bild</translation>
    </message>
    <message>
      <source>finished stages: {0}</source>
      <translation>fertige Stufen: {0}</translation>
    </message>
    <message>
      <source>finishing</source>
      <translation>wird fertig</translation>
    </message>
    <message>
      <source>first token “{0}”</source>
      <translation>erstes Token „{0}“</translation>
    </message>
    <message>
      <source>folder</source>
      <translation>Ordner</translation>
    </message>
    <message>
      <source>for {0}</source>
      <translation>für {0}</translation>
    </message>
    <message>
      <source>forgets {0} of {1} tokens</source>
      <translation>vergisst {0} von {1} Tokens</translation>
    </message>
    <message>
      <source>free</source>
      <translation>frei</translation>
    </message>
    <message>
      <source>from</source>
      <translation>aus</translation>
    </message>
    <message>
      <source>frozen</source>
      <translation>eingefroren</translation>
    </message>
    <message>
      <source>genai, convert</source>
      <translation>genai, konvertieren</translation>
    </message>
    <message>
      <source>generation</source>
      <translation>Erzeugung</translation>
    </message>
    <message>
      <source>generation time (s)</source>
      <translation>Erzeugungszeit (s)</translation>
    </message>
    <message>
      <source>go to a neighbour in the graph; with Shift move it</source>
      <translation>im Graphen zum Nachbarn gehen; mit Umschalt verschieben</translation>
    </message>
    <message>
      <source>go to the next or the previous change</source>
      <translation>zur nächsten oder vorigen Änderung gehen</translation>
    </message>
    <message>
      <source>go to the next or the previous match of the search</source>
      <translation>zum nächsten oder vorigen Treffer der Suche gehen</translation>
    </message>
    <message>
      <source>go to the next or the previous tab</source>
      <translation>zum nächsten oder vorigen Tab</translation>
    </message>
    <message>
      <source>graph input</source>
      <translation>Eingabe des Graphen</translation>
    </message>
    <message>
      <source>graph output</source>
      <translation>Ausgabe des Graphen</translation>
    </message>
    <message>
      <source>graph, nodes, netron, weights</source>
      <translation>Graph, Knoten, Netron, Gewichte</translation>
    </message>
    <message>
      <source>hellaswag, arc_easy, or a YAML file of your own</source>
      <translation>hellaswag, arc_easy oder eine eigene YAML-Datei</translation>
    </message>
    <message>
      <source>hidden state</source>
      <translation>Hidden State</translation>
    </message>
    <message>
      <source>hidden states, cosine</source>
      <translation>Hidden States, Kosinus</translation>
    </message>
    <message>
      <source>history, records, compare</source>
      <translation>Verlauf, Aufzeichnungen, vergleichen</translation>
    </message>
    <message>
      <source>https</source>
      <translation>https</translation>
    </message>
    <message>
      <source>image, distance, 3D</source>
      <translation>Bild, Entfernung, 3D</translation>
    </message>
    <message>
      <source>in</source>
      <translation>ein</translation>
    </message>
    <message>
      <source>in all {0} layers</source>
      <translation>in allen {0} Schichten</translation>
    </message>
    <message>
      <source>in its only layer</source>
      <translation>in der einzigen Schicht</translation>
    </message>
    <message>
      <source>in the run</source>
      <translation>im Lauf</translation>
    </message>
    <message>
      <source>in {0} of {1} layers</source>
      <translation>in {0} von {1} Schichten</translation>
    </message>
    <message>
      <source>inputs</source>
      <translation>Eingaben</translation>
    </message>
    <message>
      <source>instructions unknown</source>
      <translation>Befehlssatz unbekannt</translation>
    </message>
    <message>
      <source>interrupted: the worker or the window ended</source>
      <translation>unterbrochen: der Worker oder das Fenster endete</translation>
    </message>
    <message>
      <source>it could not be started ({0})</source>
      <translation>er konnte nicht gestartet werden ({0})</translation>
    </message>
    <message>
      <source>it is not UTF-8 text</source>
      <translation>es ist kein UTF-8-Text</translation>
    </message>
    <message>
      <source>it is not a text file</source>
      <translation>es ist keine Textdatei</translation>
    </message>
    <message>
      <source>it is over 1 MiB</source>
      <translation>sie ist über 1 MiB groß</translation>
    </message>
    <message>
      <source>its checkpoint: {0}</source>
      <translation>sein Checkpoint: {0}</translation>
    </message>
    <message>
      <source>its step: {0} drafted, {1} accepted</source>
      <translation>sein Schritt: {0} entworfen, {1} angenommen</translation>
    </message>
    <message>
      <source>its worker ended</source>
      <translation>sein Worker ist beendet</translation>
    </message>
    <message>
      <source>keys</source>
      <translation>Keys</translation>
    </message>
    <message>
      <source>keys and values, cosine</source>
      <translation>Keys und Values, Kosinus</translation>
    </message>
    <message>
      <source>kind</source>
      <translation>Art</translation>
    </message>
    <message>
      <source>labels, entities, sentiment, image</source>
      <translation>Labels, Entitäten, Stimmung, Bild</translation>
    </message>
    <message>
      <source>larger differences</source>
      <translation>größere Abweichungen</translation>
    </message>
    <message>
      <source>largest difference</source>
      <translation>größte Abweichung</translation>
    </message>
    <message>
      <source>largest difference {0}</source>
      <translation>größte Abweichung {0}</translation>
    </message>
    <message>
      <source>largest value</source>
      <translation>größter Wert</translation>
    </message>
    <message>
      <source>latency</source>
      <translation>Latenz</translation>
    </message>
    <message>
      <source>latency (ms)</source>
      <translation>Latenz (ms)</translation>
    </message>
    <message>
      <source>latency in ms</source>
      <translation>Latenz in ms</translation>
    </message>
    <message>
      <source>latency per token</source>
      <translation>Latenz pro Token</translation>
    </message>
    <message>
      <source>layer</source>
      <translation>Schicht</translation>
    </message>
    <message>
      <source>layer {0}</source>
      <translation>Schicht {0}</translation>
    </message>
    <message>
      <source>layer {0}: {1}</source>
      <translation>Schicht {0}: {1}</translation>
    </message>
    <message>
      <source>layers {0}</source>
      <translation>Schichten {0}</translation>
    </message>
    <message>
      <source>line {0}, column {1}</source>
      <translation>Zeile {0}, Spalte {1}</translation>
    </message>
    <message>
      <source>live</source>
      <translation>live</translation>
    </message>
    <message>
      <source>live · {0}</source>
      <translation>live · {0}</translation>
    </message>
    <message>
      <source>llama.cpp, GGUF, convert</source>
      <translation>llama.cpp, GGUF, umwandeln</translation>
    </message>
    <message>
      <source>lm-eval starts …</source>
      <translation>lm-eval startet …</translation>
    </message>
    <message>
      <source>lm-eval {0}, {1} samples</source>
      <translation>lm-eval {0}, {1} Beispiele</translation>
    </message>
    <message>
      <source>loaded on {0}</source>
      <translation>geladen auf {0}</translation>
    </message>
    <message>
      <source>loading PyTorch</source>
      <translation>PyTorch wird geladen</translation>
    </message>
    <message>
      <source>logits {0}, KV {1}</source>
      <translation>Logits {0}, KV {1}</translation>
    </message>
    <message>
      <source>logits, largest difference</source>
      <translation>Logits, größte Abweichung</translation>
    </message>
    <message>
      <source>longer than expected</source>
      <translation>länger als erwartet</translation>
    </message>
    <message>
      <source>machine</source>
      <translation>Rechner</translation>
    </message>
    <message>
      <source>manifest, digest, damaged</source>
      <translation>Manifest, Prüfsumme, beschädigt</translation>
    </message>
    <message>
      <source>max {0}</source>
      <translation>max {0}</translation>
    </message>
    <message>
      <source>mean {0}</source>
      <translation>Mittel {0}</translation>
    </message>
    <message>
      <source>measure</source>
      <translation>Maß</translation>
    </message>
    <message>
      <source>measure the loss</source>
      <translation>Verlust messen</translation>
    </message>
    <message>
      <source>measurement</source>
      <translation>Messung</translation>
    </message>
    <message>
      <source>memory (MiB)</source>
      <translation>Speicher (MiB)</translation>
    </message>
    <message>
      <source>min {0}</source>
      <translation>min {0}</translation>
    </message>
    <message>
      <source>more than the free {0}</source>
      <translation>mehr als die freien {0}</translation>
    </message>
    <message>
      <source>move an op of the chain up or down</source>
      <translation>eine Op der Kette nach oben oder unten schieben</translation>
    </message>
    <message>
      <source>n-gram look-up</source>
      <translation>N-Gramm-Suche</translation>
    </message>
    <message>
      <source>names or modules, such as model/layers/0/*, */down_proj</source>
      <translation>Namen oder Module, etwa model/layers/0/*, */down_proj</translation>
    </message>
    <message>
      <source>needs consent</source>
      <translation>braucht Zustimmung</translation>
    </message>
    <message>
      <source>needs {0}</source>
      <translation>braucht {0}</translation>
    </message>
    <message>
      <source>never</source>
      <translation>nie</translation>
    </message>
    <message>
      <source>no better text is possible</source>
      <translation>kein besserer Text möglich ist</translation>
    </message>
    <message>
      <source>no chat template</source>
      <translation>keine Chat-Vorlage</translation>
    </message>
    <message>
      <source>no finished stage</source>
      <translation>keine fertige Stufe</translation>
    </message>
    <message>
      <source>no possible length: the cache no longer holds what the next token needs</source>
      <translation>keine mögliche Länge: Der Cache hält nicht mehr, was das nächste Token braucht</translation>
    </message>
    <message>
      <source>no text: there is no tokenizer for the built-in ones, choose a file of token ids</source>
      <translation>kein Text: für die eingebauten fehlt der Tokenizer, eine Datei mit Token-Ids wählen</translation>
    </message>
    <message>
      <source>no token was drafted · {0}</source>
      <translation>kein Token wurde entworfen · {0}</translation>
    </message>
    <message>
      <source>no: {0}</source>
      <translation>nein: {0}</translation>
    </message>
    <message>
      <source>node</source>
      <translation>Knoten</translation>
    </message>
    <message>
      <source>node costs, slow nodes, hot, heat</source>
      <translation>Knotenkosten, langsame Knoten, heiß, Wärme</translation>
    </message>
    <message>
      <source>none</source>
      <translation>keiner</translation>
    </message>
    <message>
      <source>none: http</source>
      <translation>keine: http</translation>
    </message>
    <message>
      <source>none: on this machine</source>
      <translation>keiner: auf diesem Rechner</translation>
    </message>
    <message>
      <source>none: pip is not allowed to use an index</source>
      <translation>keine: pip darf keinen Index benutzen</translation>
    </message>
    <message>
      <source>none: sees all</source>
      <translation>keines: sieht alles</translation>
    </message>
    <message>
      <source>none: the bundle can be measured, but chat is not possible</source>
      <translation>keiner: das Bundle lässt sich messen, aber Chat ist nicht möglich</translation>
    </message>
    <message>
      <source>none: the source</source>
      <translation>keines: die Quelle</translation>
    </message>
    <message>
      <source>not allocated yet</source>
      <translation>noch nicht belegt</translation>
    </message>
    <message>
      <source>not available</source>
      <translation>nicht verfügbar</translation>
    </message>
    <message>
      <source>not checked</source>
      <translation>nicht geprüft</translation>
    </message>
    <message>
      <source>not loaded</source>
      <translation>nicht geladen</translation>
    </message>
    <message>
      <source>not measured</source>
      <translation>nicht gemessen</translation>
    </message>
    <message>
      <source>not on the front</source>
      <translation>nicht auf der Front</translation>
    </message>
    <message>
      <source>not reported</source>
      <translation>nicht gemeldet</translation>
    </message>
    <message>
      <source>not sent</source>
      <translation>nicht gesendet</translation>
    </message>
    <message>
      <source>not supported</source>
      <translation>nicht unterstützt</translation>
    </message>
    <message>
      <source>not usable</source>
      <translation>nicht benutzbar</translation>
    </message>
    <message>
      <source>nothing</source>
      <translation>nichts</translation>
    </message>
    <message>
      <source>now</source>
      <translation>jetzt</translation>
    </message>
    <message>
      <source>of prompts in the cache</source>
      <translation>der Prompts im Cache</translation>
    </message>
    <message>
      <source>of {0} free</source>
      <translation>von {0} frei</translation>
    </message>
    <message>
      <source>off</source>
      <translation>aus</translation>
    </message>
    <message>
      <source>on</source>
      <translation>an</translation>
    </message>
    <message>
      <source>on the CPU: {0}</source>
      <translation>CPU: {0} bleiben ihr</translation>
    </message>
    <message>
      <source>on the front</source>
      <translation>auf der Front</translation>
    </message>
    <message>
      <source>on the provider: {0} of {1} nodes</source>
      <translation>darauf: {0} von {1} Knoten</translation>
    </message>
    <message>
      <source>on {0}</source>
      <translation>auf {0}</translation>
    </message>
    <message>
      <source>one a source token</source>
      <translation>einer je Token der Quelle</translation>
    </message>
    <message>
      <source>one graph</source>
      <translation>ein Graph</translation>
    </message>
    <message>
      <source>open</source>
      <translation>offen</translation>
    </message>
    <message>
      <source>open or close the chosen box</source>
      <translation>den gewählten Kasten öffnen oder schließen</translation>
    </message>
    <message>
      <source>opening …</source>
      <translation>wird geöffnet …</translation>
    </message>
    <message>
      <source>operator</source>
      <translation>Operator</translation>
    </message>
    <message>
      <source>opset {0}</source>
      <translation>Opset {0}</translation>
    </message>
    <message>
      <source>optimize</source>
      <translation>Optimieren</translation>
    </message>
    <message>
      <source>optimum, combine, pipeline</source>
      <translation>optimum, verbinden, Pipeline</translation>
    </message>
    <message>
      <source>or begin with a picture and its question:</source>
      <translation>oder mit einem Bild und seiner Frage beginnen:</translation>
    </message>
    <message>
      <source>or begin with an example:</source>
      <translation>oder mit einem Beispiel beginnen:</translation>
    </message>
    <message>
      <source>or drop a folder or a GGUF file here</source>
      <translation>oder hier einen Ordner oder eine GGUF-Datei ablegen</translation>
    </message>
    <message>
      <source>out</source>
      <translation>aus</translation>
    </message>
    <message>
      <source>outputs</source>
      <translation>Ausgaben</translation>
    </message>
    <message>
      <source>owner/name</source>
      <translation>Eigentümer/Name</translation>
    </message>
    <message>
      <source>padding</source>
      <translation>Auffüllung</translation>
    </message>
    <message>
      <source>pale: drafted</source>
      <translation>blass: entworfen</translation>
    </message>
    <message>
      <source>past</source>
      <translation>Past</translation>
    </message>
    <message>
      <source>peak memory</source>
      <translation>Spitzenspeicher</translation>
    </message>
    <message>
      <source>perplexity</source>
      <translation>Perplexität</translation>
    </message>
    <message>
      <source>perplexity of the answers, candidate</source>
      <translation>Perplexität der Antworten, Kandidat</translation>
    </message>
    <message>
      <source>perplexity of the answers, reference</source>
      <translation>Perplexität der Antworten, Referenz</translation>
    </message>
    <message>
      <source>perplexity of the prompts, candidate</source>
      <translation>Perplexität der Prompts, Kandidat</translation>
    </message>
    <message>
      <source>perplexity of the prompts, reference</source>
      <translation>Perplexität der Prompts, Referenz</translation>
    </message>
    <message>
      <source>phase</source>
      <translation>Phase</translation>
    </message>
    <message>
      <source>picture {1}, 1 token</source>
      <translation>Bild {1}, 1 Token</translation>
    </message>
    <message>
      <source>picture {1}, {0} tokens</source>
      <translation>Bild {1}, {0} Tokens</translation>
    </message>
    <message>
      <source>pip installs {0} into Joinery's own folder, {1}.</source>
      <translation>pip installiert {0} in Joinerys eigenen Ordner, {1}.</translation>
    </message>
    <message>
      <source>pip installs {0} {1} into Joinery's own environment, {2}.</source>
      <translation>pip installiert {0} {1} in Joinerys eigene Umgebung, {2}.</translation>
    </message>
    <message>
      <source>pip removes {0} from Joinery's own environment, {1}.</source>
      <translation>pip entfernt {0} aus Joinerys eigener Umgebung, {1}.</translation>
    </message>
    <message>
      <source>placement</source>
      <translation>Verteilung</translation>
    </message>
    <message>
      <source>plan, grid, many, TOML</source>
      <translation>Plan, Raster, viele, TOML</translation>
    </message>
    <message>
      <source>position {0}</source>
      <translation>Position {0}</translation>
    </message>
    <message>
      <source>position {0}, before the window</source>
      <translation>Position {0}, vor dem Fenster</translation>
    </message>
    <message>
      <source>positions</source>
      <translation>Positionen</translation>
    </message>
    <message>
      <source>precision</source>
      <translation>Präzision</translation>
    </message>
    <message>
      <source>precisions to a goal</source>
      <translation>Präzisionen auf ein Ziel hin</translation>
    </message>
    <message>
      <source>prefill</source>
      <translation>Prefill</translation>
    </message>
    <message>
      <source>prefill chunk</source>
      <translation>Prefill-Block</translation>
    </message>
    <message>
      <source>present</source>
      <translation>Present</translation>
    </message>
    <message>
      <source>prompt + generated tokens</source>
      <translation>Tokens: Prompt + erzeugt</translation>
    </message>
    <message>
      <source>prompts in 8 bits</source>
      <translation>Prompts in 8 Bit</translation>
    </message>
    <message>
      <source>prompts of {0}</source>
      <translation>Prompts von {0}</translation>
    </message>
    <message>
      <source>provider</source>
      <translation>Provider</translation>
    </message>
    <message>
      <source>quantize</source>
      <translation>Quantisieren</translation>
    </message>
    <message>
      <source>questions and answers, as JSON lines or parquet</source>
      <translation>Fragen und Antworten, als JSON-Zeilen oder Parquet</translation>
    </message>
    <message>
      <source>random</source>
      <translation>zufällig</translation>
    </message>
    <message>
      <source>random: {0}</source>
      <translation>zufällig: {0}</translation>
    </message>
    <message>
      <source>ranking</source>
      <translation>Rangfolge</translation>
    </message>
    <message>
      <source>reads the prompt</source>
      <translation>liest den Prompt</translation>
    </message>
    <message>
      <source>reason</source>
      <translation>Grund</translation>
    </message>
    <message>
      <source>reference</source>
      <translation>Referenz</translation>
    </message>
    <message>
      <source>refused</source>
      <translation>abgelehnt</translation>
    </message>
    <message>
      <source>removed</source>
      <translation>entfernt</translation>
    </message>
    <message>
      <source>replaced by every token</source>
      <translation>von jedem Token ersetzt</translation>
    </message>
    <message>
      <source>reranker, order, relevance</source>
      <translation>Reranker, Reihenfolge, Relevanz</translation>
    </message>
    <message>
      <source>resident memory</source>
      <translation>belegter Speicher</translation>
    </message>
    <message>
      <source>reused</source>
      <translation>wiederverwendet</translation>
    </message>
    <message>
      <source>roofline</source>
      <translation>Roofline</translation>
    </message>
    <message>
      <source>rounding</source>
      <translation>Rundung</translation>
    </message>
    <message>
      <source>run</source>
      <translation>Lauf</translation>
    </message>
    <message>
      <source>run {0}</source>
      <translation>Lauf {0}</translation>
    </message>
    <message>
      <source>running</source>
      <translation>läuft</translation>
    </message>
    <message>
      <source>runs</source>
      <translation>läuft</translation>
    </message>
    <message>
      <source>scalar</source>
      <translation>Skalar</translation>
    </message>
    <message>
      <source>seed {0}</source>
      <translation>Startwert {0}</translation>
    </message>
    <message>
      <source>send</source>
      <translation>senden</translation>
    </message>
    <message>
      <source>server, API, OpenAI, HTTP, endpoint, port</source>
      <translation>Server, API, OpenAI, HTTP, Endpunkt, Port, Schnittstelle</translation>
    </message>
    <message>
      <source>share of the score in a task of at least</source>
      <translation>Anteil der Punktzahl in einer Aufgabe von mindestens</translation>
    </message>
    <message>
      <source>show values</source>
      <translation>seine Werte zeigen</translation>
    </message>
    <message>
      <source>size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <source>skipped</source>
      <translation>übersprungen</translation>
    </message>
    <message>
      <source>slot {0}</source>
      <translation>Slot {0}</translation>
    </message>
    <message>
      <source>small differences</source>
      <translation>kleine Abweichungen</translation>
    </message>
    <message>
      <source>source token {0}</source>
      <translation>Token {0} der Quelle</translation>
    </message>
    <message>
      <source>source, frozen</source>
      <translation>Quelle, eingefroren</translation>
    </message>
    <message>
      <source>ssh, host, another machine</source>
      <translation>ssh, Host, anderer Rechner</translation>
    </message>
    <message>
      <source>started {0}</source>
      <translation>gestartet {0}</translation>
    </message>
    <message>
      <source>starting</source>
      <translation>startet</translation>
    </message>
    <message>
      <source>starting and other work</source>
      <translation>Start und Sonstiges</translation>
    </message>
    <message>
      <source>state</source>
      <translation>Zustand</translation>
    </message>
    <message>
      <source>state of fixed size</source>
      <translation>Zustand fester Größe</translation>
    </message>
    <message>
      <source>state of {0}</source>
      <translation>Zustand {0}</translation>
    </message>
    <message>
      <source>std {0}</source>
      <translation>Std. {0}</translation>
    </message>
    <message>
      <source>step</source>
      <translation>Schritt</translation>
    </message>
    <message>
      <source>step {0}</source>
      <translation>Schritt {0}</translation>
    </message>
    <message>
      <source>steps</source>
      <translation>Schritte</translation>
    </message>
    <message>
      <source>stopped</source>
      <translation>angehalten</translation>
    </message>
    <message>
      <source>stopped at a stop string</source>
      <translation>bei einem Stopptext angehalten</translation>
    </message>
    <message>
      <source>stopped at max new tokens</source>
      <translation>bei der Höchstzahl neuer Tokens angehalten</translation>
    </message>
    <message>
      <source>stopped by you</source>
      <translation>von Hand angehalten</translation>
    </message>
    <message>
      <source>stopping</source>
      <translation>hält an</translation>
    </message>
    <message>
      <source>stored, before the window</source>
      <translation>behalten, vor dem Fenster</translation>
    </message>
    <message>
      <source>supported</source>
      <translation>unterstützt</translation>
    </message>
    <message>
      <source>supported, the text part alone</source>
      <translation>unterstützt, nur der Textteil</translation>
    </message>
    <message>
      <source>supported, without chat</source>
      <translation>unterstützt, ohne Chat</translation>
    </message>
    <message>
      <source>talk, conversation, ask</source>
      <translation>reden, Unterhaltung, fragen</translation>
    </message>
    <message>
      <source>task</source>
      <translation>Aufgabe</translation>
    </message>
    <message>
      <source>the built-in texts, in eight languages</source>
      <translation>die eingebauten Texte in acht Sprachen</translation>
    </message>
    <message>
      <source>the bundle opens</source>
      <translation>Bundle öffnet</translation>
    </message>
    <message>
      <source>the bundle's default</source>
      <translation>Vorgabe des Bundles</translation>
    </message>
    <message>
      <source>the cache is full</source>
      <translation>der Cache ist voll</translation>
    </message>
    <message>
      <source>the draft model</source>
      <translation>das Entwurfsmodell</translation>
    </message>
    <message>
      <source>the encoder, once</source>
      <translation>der Encoder, einmal</translation>
    </message>
    <message>
      <source>the first token is equal, the next one differs</source>
      <translation>das erste Token ist gleich, das nächste weicht ab</translation>
    </message>
    <message>
      <source>the first {0} are compared</source>
      <translation>die ersten {0} werden verglichen</translation>
    </message>
    <message>
      <source>the first {0} tokens are equal, the next one differs</source>
      <translation>die ersten {0} Tokens sind gleich, das nächste weicht ab</translation>
    </message>
    <message>
      <source>the graph, GroupQueryAttention</source>
      <translation>der Graph, GroupQueryAttention</translation>
    </message>
    <message>
      <source>the graph, TensorScatter</source>
      <translation>der Graph, TensorScatter</translation>
    </message>
    <message>
      <source>the host</source>
      <translation>der Host</translation>
    </message>
    <message>
      <source>the model finished</source>
      <translation>das Modell war fertig</translation>
    </message>
    <message>
      <source>the model's chain</source>
      <translation>Kette des Modells</translation>
    </message>
    <message>
      <source>the model's extra heads</source>
      <translation>die zusätzlichen Köpfe des Modells</translation>
    </message>
    <message>
      <source>the model's first layers</source>
      <translation>die ersten Schichten des Modells</translation>
    </message>
    <message>
      <source>the newest {0}</source>
      <translation>die neuesten {0}</translation>
    </message>
    <message>
      <source>the next token goes here</source>
      <translation>das nächste Token kommt hierher</translation>
    </message>
    <message>
      <source>the one token is equal</source>
      <translation>das eine Token ist gleich</translation>
    </message>
    <message>
      <source>the prompts of the demo</source>
      <translation>die Prompts der Demo</translation>
    </message>
    <message>
      <source>then</source>
      <translation>dann</translation>
    </message>
    <message>
      <source>time</source>
      <translation>Zeit</translation>
    </message>
    <message>
      <source>time limit</source>
      <translation>Zeitlimit</translation>
    </message>
    <message>
      <source>to</source>
      <translation>nach</translation>
    </message>
    <message>
      <source>to a goal</source>
      <translation>auf ein Ziel hin</translation>
    </message>
    <message>
      <source>tok/s</source>
      <translation>tok/s</translation>
    </message>
    <message>
      <source>tok/step</source>
      <translation>je Schritt</translation>
    </message>
    <message>
      <source>token</source>
      <translation>Token</translation>
    </message>
    <message>
      <source>token {0}: {1}</source>
      <translation>Token {0}: {1}</translation>
    </message>
    <message>
      <source>tokens</source>
      <translation>Tokens</translation>
    </message>
    <message>
      <source>tokens a second</source>
      <translation>Tokens je Sekunde</translation>
    </message>
    <message>
      <source>tokens of replies</source>
      <translation>Tokens, Antworten</translation>
    </message>
    <message>
      <source>tokens of the whole draft</source>
      <translation>Tokens des ganzen Entwurfs</translation>
    </message>
    <message>
      <source>tokens per step</source>
      <translation>Tokens je Schritt</translation>
    </message>
    <message>
      <source>tokens per step: {0}</source>
      <translation>Tokens je Schritt: {0}</translation>
    </message>
    <message>
      <source>too large</source>
      <translation>zu groß</translation>
    </message>
    <message>
      <source>top-1</source>
      <translation>Top-1</translation>
    </message>
    <message>
      <source>top-1 agreement</source>
      <translation>Top-1-Übereinstimmung</translation>
    </message>
    <message>
      <source>top-1 agreement of at least</source>
      <translation>Top-1-Übereinstimmung von mindestens</translation>
    </message>
    <message>
      <source>top-1 agreement of at least {0}</source>
      <translation>Top-1-Übereinstimmung von mindestens {0}</translation>
    </message>
    <message>
      <source>top-5 overlap</source>
      <translation>Top-5-Überschneidung</translation>
    </message>
    <message>
      <source>transcription</source>
      <translation>Mitschrift</translation>
    </message>
    <message>
      <source>unchanged</source>
      <translation>unverändert</translation>
    </message>
    <message>
      <source>unfinished</source>
      <translation>unfertig</translation>
    </message>
    <message>
      <source>up to</source>
      <translation>bis zu</translation>
    </message>
    <message>
      <source>up to 1 token per prompt</source>
      <translation>bis zu 1 Token je Prompt</translation>
    </message>
    <message>
      <source>up to {0} tokens per prompt</source>
      <translation>bis zu {0} Tokens je Prompt</translation>
    </message>
    <message>
      <source>usable</source>
      <translation>benutzbar</translation>
    </message>
    <message>
      <source>used slots</source>
      <translation>belegte Slots</translation>
    </message>
    <message>
      <source>used {0}</source>
      <translation>benutzt {0}</translation>
    </message>
    <message>
      <source>value</source>
      <translation>Wert</translation>
    </message>
    <message>
      <source>values</source>
      <translation>Values</translation>
    </message>
    <message>
      <source>various</source>
      <translation>verschieden</translation>
    </message>
    <message>
      <source>version</source>
      <translation>Version</translation>
    </message>
    <message>
      <source>waiting</source>
      <translation>wartend</translation>
    </message>
    <message>
      <source>waits</source>
      <translation>wartet</translation>
    </message>
    <message>
      <source>weights as stored</source>
      <translation>Gewichte wie gespeichert</translation>
    </message>
    <message>
      <source>weights {0}</source>
      <translation>Gewichte {0}</translation>
    </message>
    <message>
      <source>weights {0}, of which {1} stay in their file</source>
      <translation>Gewichte {0}, von denen {1} in ihrer Datei bleiben</translation>
    </message>
    <message>
      <source>whole build</source>
      <translation>ganzer Bau</translation>
    </message>
    <message>
      <source>width {0}</source>
      <translation>Breite {0}</translation>
    </message>
    <message>
      <source>work</source>
      <translation>Arbeit</translation>
    </message>
    <message>
      <source>write head</source>
      <translation>Schreibkopf</translation>
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
      <source>yes</source>
      <translation>ja</translation>
    </message>
    <message>
      <source>zero: no session of this bundle runs</source>
      <translation>null: Es läuft keine Sitzung dieses Bundles</translation>
    </message>
    <message>
      <source>zero: no token has been generated yet</source>
      <translation>null: Noch wurde kein Token erzeugt</translation>
    </message>
    <message>
      <source>zoom the graph in and out, fit it, show it in full size</source>
      <translation>den Graphen vergrößern, verkleinern, einpassen, in voller Größe zeigen</translation>
    </message>
    <message>
      <source>{0} % of drafts accepted</source>
      <translation>{0} % der Entwürfe angenommen</translation>
    </message>
    <message>
      <source>{0} (best)</source>
      <translation>{0} (bestes)</translation>
    </message>
    <message>
      <source>{0} ({1} cached)</source>
      <translation>{0} ({1} im Cache)</translation>
    </message>
    <message>
      <source>{0} + {1} tok</source>
      <translation>{0} + {1} tok</translation>
    </message>
    <message>
      <source>{0} NaN</source>
      <translation>{0} NaN</translation>
    </message>
    <message>
      <source>{0} added</source>
      <translation>{0} hinzugefügt</translation>
    </message>
    <message>
      <source>{0} allocated</source>
      <translation>{0} belegt</translation>
    </message>
    <message>
      <source>{0} before the window</source>
      <translation>{0} vor dem Fenster</translation>
    </message>
    <message>
      <source>{0} cannot be played: {1}</source>
      <translation>{0} kann nicht abgespielt werden: {1}</translation>
    </message>
    <message>
      <source>{0} cannot be read: {1}.</source>
      <translation>{0} kann nicht gelesen werden: {1}.</translation>
    </message>
    <message>
      <source>{0} cannot be written to; choose another folder.</source>
      <translation>In {0} kann nicht geschrieben werden; einen anderen Ordner wählen.</translation>
    </message>
    <message>
      <source>{0} cannot be written.</source>
      <translation>{0} kann nicht geschrieben werden.</translation>
    </message>
    <message>
      <source>{0} cannot be written: {1}.</source>
      <translation>{0} kann nicht geschrieben werden: {1}.</translation>
    </message>
    <message>
      <source>{0} changed</source>
      <translation>{0} geändert</translation>
    </message>
    <message>
      <source>{0} compared with {1}</source>
      <translation>{0} verglichen mit {1}</translation>
    </message>
    <message>
      <source>{0} cores</source>
      <translation>{0} Kerne</translation>
    </message>
    <message>
      <source>{0} does not chat</source>
      <translation>{0} chattet nicht</translation>
    </message>
    <message>
      <source>{0} evicted</source>
      <translation>{0} verdrängt</translation>
    </message>
    <message>
      <source>{0} failed: {1}</source>
      <translation>{0} – fehlgeschlagen: {1}</translation>
    </message>
    <message>
      <source>{0} fields</source>
      <translation>{0} Felder</translation>
    </message>
    <message>
      <source>{0} free</source>
      <translation>{0} frei</translation>
    </message>
    <message>
      <source>{0} functions</source>
      <translation>{0} Funktionen</translation>
    </message>
    <message>
      <source>{0} graphs</source>
      <translation>{0} Graphen</translation>
    </message>
    <message>
      <source>{0} has an impossible value of {1}: correct or remove it.</source>
      <translation>{0} hat einen unmöglichen Wert bei {1}: ihn berichtigen oder entfernen.</translation>
    </message>
    <message>
      <source>{0} has changed since the source was read: read the source again.</source>
      <translation>{0} hat sich geändert, seit die Quelle gelesen wurde: die Quelle noch einmal lesen.</translation>
    </message>
    <message>
      <source>{0} has no {1}</source>
      <translation>{0} hat kein {1}</translation>
    </message>
    <message>
      <source>{0} holds no settings of Joinery: choose a file that was exported here.</source>
      <translation>{0} enthält keine Einstellungen von Joinery: eine hier exportierte Datei wählen.</translation>
    </message>
    <message>
      <source>{0} in {1} with {2}</source>
      <translation>{0} in {1} mit {2}</translation>
    </message>
    <message>
      <source>{0} infinite</source>
      <translation>{0} unendlich</translation>
    </message>
    <message>
      <source>{0} is built.</source>
      <translation>{0} ist gebaut.</translation>
    </message>
    <message>
      <source>{0} is neither a folder nor an .onnx or .gguf file.</source>
      <translation>{0} ist weder ein Ordner noch eine .onnx- oder .gguf-Datei.</translation>
    </message>
    <message>
      <source>{0} is no possible length</source>
      <translation>{0} ist keine erlaubte Länge</translation>
    </message>
    <message>
      <source>{0} is not a folder. Enter the full path of a folder.</source>
      <translation>{0} ist kein Ordner. Den vollständigen Pfad eines Ordners angeben.</translation>
    </message>
    <message>
      <source>{0} is not a number.</source>
      <translation>{0} ist keine Zahl.</translation>
    </message>
    <message>
      <source>{0} is not one of these pages.</source>
      <translation>{0} ist keine dieser Seiten.</translation>
    </message>
    <message>
      <source>{0} items</source>
      <translation>{0} Einträge</translation>
    </message>
    <message>
      <source>{0} keeps more, in {1} of weights.</source>
      <translation>{0} erhält mehr, mit {1} an Gewichten.</translation>
    </message>
    <message>
      <source>{0} kinds of operator</source>
      <translation>{0} Arten von Operatoren</translation>
    </message>
    <message>
      <source>{0} layers</source>
      <translation>{0} Schichten</translation>
    </message>
    <message>
      <source>{0} lines</source>
      <translation>{0} Zeilen</translation>
    </message>
    <message>
      <source>{0} may wait</source>
      <translation>{0} dürfen warten</translation>
    </message>
    <message>
      <source>{0} mixes tried; the smallest that meets the goal has {1} of weights: {2}</source>
      <translation>{0} Mischungen probiert; die kleinste, die das Ziel erreicht, hat {1} an Gewichten: {2}</translation>
    </message>
    <message>
      <source>{0} more</source>
      <translation>{0} weitere</translation>
    </message>
    <message>
      <source>{0} must end in .svg or .png</source>
      <translation>{0} endet weder auf .svg noch auf .png</translation>
    </message>
    <message>
      <source>{0} nats</source>
      <translation>{0} nats</translation>
    </message>
    <message>
      <source>{0} nodes</source>
      <translation>{0} Knoten</translation>
    </message>
    <message>
      <source>{0} nodes are the same.</source>
      <translation>{0} Knoten sind gleich.</translation>
    </message>
    <message>
      <source>{0} nodes run on the CPU</source>
      <translation>{0} Knoten laufen auf der CPU</translation>
    </message>
    <message>
      <source>{0} nodes were created by onnxruntime and are not in this graph.</source>
      <translation>{0} Knoten sind so in keinem Graphen: onnxruntime hat sie gemacht.</translation>
    </message>
    <message>
      <source>{0} of KV cache, {1} per token, allocated when the bundle is opened.</source>
      <translation>{0} KV-Cache, {1} je Token, belegt beim Öffnen des Bundles.</translation>
    </message>
    <message>
      <source>{0} of disk free</source>
      <translation>{0} der Platte frei</translation>
    </message>
    <message>
      <source>{0} of it are snapshots of the graphs; the stages need {1} more while building.</source>
      <translation>Davon sind {0} Zwischenstände der Graphen; die Stufen brauchen beim Bauen {1} mehr.</translation>
    </message>
    <message>
      <source>{0} of memory, {1} free</source>
      <translation>{0} Speicher, {1} frei</translation>
    </message>
    <message>
      <source>{0} of nodes · difference {1} · {2}</source>
      <translation>{0} der Knoten · Abweichung {1} · {2}</translation>
    </message>
    <message>
      <source>{0} of pictures</source>
      <translation>{0} von Bildern</translation>
    </message>
    <message>
      <source>{0} of weights</source>
      <translation>{0} Gewichte</translation>
    </message>
    <message>
      <source>{0} of {1}</source>
      <translation>{0} von {1}</translation>
    </message>
    <message>
      <source>{0} of {1} answers have the same tokens</source>
      <translation>{0} von {1} Antworten haben dieselben Tokens</translation>
    </message>
    <message>
      <source>{0} of {1} done</source>
      <translation>{0} von {1} fertig</translation>
    </message>
    <message>
      <source>{0} of {1} drafted token accepted</source>
      <translation>{0} von {1} entworfenen Token angenommen</translation>
    </message>
    <message>
      <source>{0} of {1} drafted tokens accepted</source>
      <translation>{0} von {1} entworfenen Tokens angenommen</translation>
    </message>
    <message>
      <source>{0} of {1} greedy tokens equal</source>
      <translation>{0} von {1} greedy-Tokens gleich</translation>
    </message>
    <message>
      <source>{0} of {1} used</source>
      <translation>{0} von {1} benutzt</translation>
    </message>
    <message>
      <source>{0} on the CPU: {1}</source>
      <translation>{0} auf der CPU: {1}</translation>
    </message>
    <message>
      <source>{0} on {1}</source>
      <translation>{0} auf {1}</translation>
    </message>
    <message>
      <source>{0} on {1}, after a first run</source>
      <translation>{0} auf {1}, nach einem ersten Lauf</translation>
    </message>
    <message>
      <source>{0} ops</source>
      <translation>{0} Ops</translation>
    </message>
    <message>
      <source>{0} padded at the left</source>
      <translation>{0} links aufgefüllt</translation>
    </message>
    <message>
      <source>{0} pictures</source>
      <translation>{0} Bilder</translation>
    </message>
    <message>
      <source>{0} pictures read</source>
      <translation>{0} Bilder gelesen</translation>
    </message>
    <message>
      <source>{0} questions</source>
      <translation>{0} Fragen</translation>
    </message>
    <message>
      <source>{0} refused</source>
      <translation>{0} abgelehnt</translation>
    </message>
    <message>
      <source>{0} refused this node: {1}</source>
      <translation>{0} ließ es: {1}</translation>
    </message>
    <message>
      <source>{0} removed</source>
      <translation>{0} entfernt</translation>
    </message>
    <message>
      <source>{0} replies</source>
      <translation>{0} Antworten</translation>
    </message>
    <message>
      <source>{0} requests</source>
      <translation>{0} Anfragen</translation>
    </message>
    <message>
      <source>{0} requests run.</source>
      <translation>{0} Anfragen laufen.</translation>
    </message>
    <message>
      <source>{0} runs</source>
      <translation>{0} Läufe</translation>
    </message>
    <message>
      <source>{0} runs are not shown:</source>
      <translation>{0} Läufe werden nicht gezeigt:</translation>
    </message>
    <message>
      <source>{0} runs were removed.</source>
      <translation>{0} Läufe wurden entfernt.</translation>
    </message>
    <message>
      <source>{0} s ago: {1}</source>
      <translation>vor {0} s: {1}</translation>
    </message>
    <message>
      <source>{0} scopes with the same structure; open to show each</source>
      <translation>{0} Bereiche gleichen Baus; öffnen, um jeden zu sehen</translation>
    </message>
    <message>
      <source>{0} selected</source>
      <translation>{0} gewählt</translation>
    </message>
    <message>
      <source>{0} slots</source>
      <translation>{0} Slots</translation>
    </message>
    <message>
      <source>{0} stop strings</source>
      <translation>{0} Stopptexte</translation>
    </message>
    <message>
      <source>{0} the same tokens</source>
      <translation>{0} gleiche Tokens</translation>
    </message>
    <message>
      <source>{0} threads are faster than one for each core.</source>
      <translation>{0} Threads sind schneller als einer je Kern.</translation>
    </message>
    <message>
      <source>{0} tokens</source>
      <translation>{0} Tokens</translation>
    </message>
    <message>
      <source>{0} tokens fit</source>
      <translation>{0} Tokens passen hinein</translation>
    </message>
    <message>
      <source>{0} tokens held</source>
      <translation>{0} Tokens gehalten</translation>
    </message>
    <message>
      <source>{0} tokens of 1 picture</source>
      <translation>{0} Tokens von 1 Bild</translation>
    </message>
    <message>
      <source>{0} tokens of {1} pictures</source>
      <translation>{0} Tokens von {1} Bildern</translation>
    </message>
    <message>
      <source>{0} tokens read</source>
      <translation>{0} Tokens gelesen</translation>
    </message>
    <message>
      <source>{0} values</source>
      <translation>{0} Werte</translation>
    </message>
    <message>
      <source>{0} was not transcribed, as nothing can be sent now: choose the file later.</source>
      <translation>{0} wurde nicht transkribiert, da jetzt nichts gesendet werden kann: die Datei später wählen.</translation>
    </message>
    <message>
      <source>{0} was removed from the list. Its files were not deleted.</source>
      <translation>{0} wurde aus der Liste entfernt. Die Dateien wurden nicht gelöscht.</translation>
    </message>
    <message>
      <source>{0} was written by a newer Joinery: update this one to read it.</source>
      <translation>{0} stammt von einem neueren Joinery: dieses aktualisieren, um sie zu lesen.</translation>
    </message>
    <message>
      <source>{0} workers</source>
      <translation>{0} Worker</translation>
    </message>
    <message>
      <source>{0} zeros</source>
      <translation>{0} Nullen</translation>
    </message>
    <message>
      <source>{0} · line {1}: {2} · line {3}: {4}</source>
      <translation>{0} · Zeile {1}: {2} · Zeile {3}: {4}</translation>
    </message>
    <message>
      <source>{0} · vectors of {1} numbers · {2} similarity · on {3}</source>
      <translation>{0} · Vektoren aus {1} Zahlen · Ähnlichkeit: {2} · auf {3}</translation>
    </message>
    <message>
      <source>{0} · {1} pixels · on {2}</source>
      <translation>{0} · {1} Pixel · auf {2}</translation>
    </message>
    <message>
      <source>{0} · {1} source tokens · computed once by the encoder, then only read</source>
      <translation>{0} · {1} Tokens der Quelle · vom Encoder einmal berechnet, seither nur gelesen</translation>
    </message>
    <message>
      <source>{0} · {1} · {2} Hz</source>
      <translation>{0} · {1} · {2} Hz</translation>
    </message>
    <message>
      <source>{0} × fp32</source>
      <translation>{0} × fp32</translation>
    </message>
    <message>
      <source>{0}, candidate</source>
      <translation>{0}, Kandidat</translation>
    </message>
    <message>
      <source>{0}, or what fits the cache</source>
      <translation>{0}, oder was in den Cache passt</translation>
    </message>
    <message>
      <source>{0}, reference</source>
      <translation>{0}, Referenz</translation>
    </message>
    <message>
      <source>{0}: from {1} to {2}, median {3}.</source>
      <translation>{0}: von {1} bis {2}, Median {3}.</translation>
    </message>
    <message>
      <source>{0}: no values.</source>
      <translation>{0}: keine Werte.</translation>
    </message>
    <message>
      <source>{0}: {1} of the default's time a token, on {2}.</source>
      <translation>{0}: {1} der Zeit der Vorgabe je Token, auf {2}.</translation>
    </message>
    <message>
      <source>{0}: {1} of {2}</source>
      <translation>{0}: {1} von {2}</translation>
    </message>
    <message>
      <source>{1}: 1 token</source>
      <translation>{1}: 1 Token</translation>
    </message>
    <message>
      <source>{1}: {0} tokens</source>
      <translation>{1}: {0} Tokens</translation>
    </message>
    <message>
      <source>…</source>
      <translation>…</translation>
    </message>
    <message>
      <source>… {0} more</source>
      <translation>… {0} weitere</translation>
    </message>
  </context>
</TS>

<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
  <context>
    <name>joinery</name>
    <message>
      <source> and </source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> · full</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> · nearly full</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> · {0} evicted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>%1 is neither a folder nor an .onnx file.</source>
      <translation>%1 ist weder ein Ordner noch eine .onnx-Datei.</translation>
    </message>
    <message>
      <source>%1 layers, width %2</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>%1 of KV cache: %2 a token, allocated when a bundle is opened.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>%1 tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>%1 was removed from the list; its files stay where they are.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>%1 · %2 slots · %3</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>%n components</source>
      <translation type="unfinished">
        <numerusform />
        <numerusform />
      </translation>
    </message>
    <message>
      <source>(omitted)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>(unnamed)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>+ {0} more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>0 takes the most probable token each time.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>1 node</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>1 node is left to the CPU</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>1 − cosine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A Hugging Face folder or hub id becomes ONNX graphs with an explicit KV cache.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A JSON list of functions, for a chat template that takes them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A bundle tells here what each pass changed and refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A bundle's folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A bundle, a checkpoint's folder, demo:NAME, a hub id</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A change opens the bundle anew; the conversation stays.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A checkpoint becomes a bundle: graphs with an explicit KV cache, weights, tokenizer and the evidence of every stage.</source>
      <translation>Aus einem Checkpoint wird ein Bündel: Graphen mit explizitem KV-Cache, Gewichte, Tokenizer und die Belege jeder Stufe.</translation>
    </message>
    <message>
      <source>A checkpoint on this machine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A choice is kept at once. What needs a new start says so; Reset to defaults can be undone.</source>
      <translation>Eine Wahl wird sofort gespeichert. Was einen Neustart braucht, sagt es; das Zurücksetzen lässt sich rückgängig machen.</translation>
    </message>
    <message>
      <source>A click on a session opens its graph, on a state the KV cache.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A comparison has its own colours.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A conversation with the bundle that is open, token by token; side by side with another one, too.</source>
      <translation>Ein Gespräch mit dem geöffneten Bündel, Token für Token; auch neben einem zweiten.</translation>
    </message>
    <message>
      <source>A folder with a genai_config.json</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A full cache drops its oldest tokens and goes on; what was dropped is forgotten.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A reply ends here at the latest.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A reply is being generated: the cache can be changed when it has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A session of this bundle shows its slots here, and can rewind, save and load them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A slot for each token up to the capacity; a full cache ends the reply.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A small Qwen3 that ships with Joinery: built in under a minute, no download.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A small trained model that ships with Joinery</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A workbench that turns Hugging Face checkpoints into composite ONNX models, and lets you see, run and measure what was built.</source>
      <translation>Eine Werkbank, die aus Hugging-Face-Checkpoints zusammengesetzte ONNX-Modelle macht und zeigt, ausführt und misst, was gebaut wurde.</translation>
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
      <source>Accuracy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Accuracy: compare</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Accuracy: stop comparing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Actions</source>
      <translation>Aktionen</translation>
    </message>
    <message>
      <source>After</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Against {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All but the outliers (percentile)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All replies</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All slots</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All {0} files are as they were written ({1}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All {0} files of the bundle are as they were written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Allocated</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Also ranks quantized nodes by what leaving each in full precision would gain; takes a run a node.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>An encoder-decoder reads each source anew and its decoder begins empty, so between two runs there is nothing to go back to, to save or to load.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Another bundle was opened.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answer again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answer again, as a new branch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answers of both bundles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Appearance</source>
      <translation>Darstellung</translation>
    </message>
    <message>
      <source>Architecture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Arrow keys move from slot to slot.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Arrow keys walk through the stages: export, each pass, the final graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Arrow keys walk through the steps of the last generation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Arrows</source>
      <translation>Pfeiltasten</translation>
    </message>
    <message>
      <source>As the checkpoint does</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>As the system</source>
      <translation>Wie das System</translation>
    </message>
    <message>
      <source>Ask something</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ask something in Chat, or run a comparison under Accuracy. Drag over the chart to look closer, and export what is shown as CSV, PNG or SVG.</source>
      <translation>Fragen Sie etwas im Chat, oder starten Sie unter Genauigkeit einen Vergleich. Ziehen Sie über das Diagramm, um näher hinzusehen; was gezeigt wird, lässt sich als CSV, PNG oder SVG exportieren.</translation>
    </message>
    <message>
      <source>Ask the model something</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Assemble</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Attributes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to greedy, with all the rest off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to the chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to the defaults</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to the graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to {0} tokens · {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Begin a text and the model completes it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Begins with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Browse</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build</source>
      <translation>Bauen</translation>
    </message>
    <message>
      <source>Build a checkpoint or open a bundle to begin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build another</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build failed: %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build stopped; it resumes where it was</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build the demo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Building the reference: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Builds, generations and measurements that are kept. Older ones are removed at each start.</source>
      <translation>Builds, Generierungen und Messungen, die aufbewahrt werden. Ältere werden bei jedem Start entfernt.</translation>
    </message>
    <message>
      <source>Built</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Built in %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle default</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle default ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle is open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle on the left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle on the right</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle or source it is compared with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundle that is judged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundles</source>
      <translation>Bündel</translation>
    </message>
    <message>
      <source>Bundles of {0} by device</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bundles that you build or open are listed here with their architecture, precision, cache and speed. A folder or an .onnx file can also be dropped anywhere in this window.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>CPU: {0} left to it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cache layout</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cache layout and capacity in tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cache, all slots</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Calibration</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Calibration prompts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cancel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cancel the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Capacity</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Carried state</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Changes by scope</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chat</source>
      <translation>Chat</translation>
    </message>
    <message>
      <source>Chat with %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chat with it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Chat with the demo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check a bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check a bundle: it is run on the device and on the CPU, and the answers are compared. Compile keeps what a provider makes of the graphs, so that it opens at once.</source>
      <translation>Prüfen Sie ein Bündel: Es läuft auf dem Gerät und auf der CPU, und die Antworten werden verglichen. Kompilieren bewahrt auf, was ein Provider aus den Graphen macht, sodass es sich sofort öffnet.</translation>
    </message>
    <message>
      <source>Check accuracy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check this bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Checked {0}, of the graph as onnxruntime has fused it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Checking every file of the bundle …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a bundle and what it should be like. Both read the same tokens; agreement, divergence, hidden states, cache, perplexity and answers appear here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a checkpoint's folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a file of prompts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a file…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose a folder</source>
      <translation>Ordner wählen</translation>
    </message>
    <message>
      <source>Choose a source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose two bundles: each answers in a process of its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Colour by provider</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare the accuracy of two bundles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare the answers of two bundles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare with another bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Component</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Component of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Components</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Components elsewhere …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Components of the recipe</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Composite</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Composite: save the picture …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Configuration</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Convert a checkpoint</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <source>Copy as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the details</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the details (Ctrl+Shift+C)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the last reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy versions and folder</source>
      <translation>Versionen und Ordner kopieren</translation>
    </message>
    <message>
      <source>Cross cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Current bundle: %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Damaged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Dark</source>
      <translation>Dunkel</translation>
    </message>
    <message>
      <source>Decoder cache · {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Demo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Details</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Details at the right</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Details of what is chosen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Devices</source>
      <translation>Geräte</translation>
    </message>
    <message>
      <source>Disk</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Dismiss</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Done</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Downloaded from the Hugging Face hub</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Draw this component or scope with Netron</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Draw with Netron</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Drivers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Each execution provider is asked what it can use.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Each file needs a name of its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Each step of a reply appears here while it runs: latency, cache and memory.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Earlier chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit and resend, as a new branch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit recipe</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit the last prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Editing an earlier prompt: Enter sends it as a new branch, Esc leaves it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Embeddings, transformer and head as graphs of their own: 1×1 Conv, fp16 cache, rotary inside.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ends the reply (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Enter</source>
      <translation>Eingabe</translation>
    </message>
    <message>
      <source>Enter sends, Shift+Enter starts a new line.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Estimate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Every node is on it, and what it computes is right.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export and more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export for onnxruntime-genai</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export for onnxruntime-genai …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export measurements</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export the bundle for onnxruntime-genai …</source>
      <translation>Bündel für onnxruntime-genai exportieren …</translation>
    </message>
    <message>
      <source>Export the measurements as CSV</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export the measurements as PNG</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export the measurements as SVG</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export the report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export this chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>FIFO: slides on, newest last</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Failed after %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Family</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Figures</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>File of prompts, one a line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find (Ctrl+F)</source>
      <translation type="unfinished" />
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find nodes by name, operator or scope</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>First values: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fit the whole graph (0)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fit the whole picture (0)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of bundles</source>
      <translation>Ordner für Bündel</translation>
    </message>
    <message>
      <source>Forgets what was measured</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Freeze</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Freeze the measurements</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>From</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Generating</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Give a source: a checkpoint's folder, a model of the hub or a demo. Every later step has a default that works; Next leads to the review and the build. A build that was stopped goes on where it was.</source>
      <translation>Geben Sie eine Quelle an: den Ordner eines Checkpoints, ein Modell vom Hub oder eine Demo. Jeder weitere Schritt hat eine brauchbare Vorgabe; Weiter führt zur Durchsicht und zum Build. Ein angehaltener Build geht weiter, wo er war.</translation>
    </message>
    <message>
      <source>Given</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go on writing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to %1</source>
      <translation>Zu %1 gehen</translation>
    </message>
    <message>
      <source>Go to Chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to Home</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to home</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: close every scope</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: colour by provider</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: compare with another file …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: compare with the stage before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: copy the details</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: draw with Netron</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: find a node</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: next change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: no comparison</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: open every scope</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: previous change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: save all as PNG …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: save all as SVG …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: save what is seen as PNG …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graph: save what is seen as SVG …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graphs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Graphs, weights and tokenizer of {0} are copied into a bundle of their own, once they were seen to fit together. The folder itself stays as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Group {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>GroupQueryAttention writes the cache itself: a token costs what is used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Grouped attention in place</source>
      <translation type="unfinished" />
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
      <translation type="unfinished" />
    </message>
    <message>
      <source>Histogram from {0} to {1}, at most {2} values in a bar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>History</source>
      <translation>Verlauf</translation>
    </message>
    <message>
      <source>Home</source>
      <translation>Start</translation>
    </message>
    <message>
      <source>How fast the open bundle runs and how right it is: latency of every step, cache and memory while it generates, and its distance from another bundle or its checkpoint.</source>
      <translation>Wie schnell das geöffnete Bündel läuft und wie richtig es ist: Latenz jedes Schritts, Cache und Speicher beim Generieren und der Abstand zu einem anderen Bündel oder zum Checkpoint.</translation>
    </message>
    <message>
      <source>How large text and everything else is. It changes when Joinery is started again.</source>
      <translation>Wie groß Text und alles andere ist. Es ändert sich, wenn Joinery neu gestartet wird.</translation>
    </message>
    <message>
      <source>How much is compared</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>How ranges are found</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>How the weights are stored. Fewer bits make a bundle smaller, and its answers less exact.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hub id</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>I have read this code and let it run on this machine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>IR version {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import a folder of onnxruntime-genai's …</source>
      <translation>Ordner von onnxruntime-genai importieren …</translation>
    </message>
    <message>
      <source>Import from onnxruntime-genai</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import into a bundle …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import …</source>
      <translation>Importieren …</translation>
    </message>
    <message>
      <source>Initializers · {0} · {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Initializers: {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inputs and outputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inputs · {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inspect</source>
      <translation>Ansehen</translation>
    </message>
    <message>
      <source>Inspect %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inspect the graphs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inspect: read again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Inspect: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Install {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Into</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Into the middle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It can go back to {0} tokens.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It cannot go back to {0}: its tokens are gone. It can go to {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It is at {0} % of its size: SVG has no such limit.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It runs in a process of its own: this page can be left, and the build goes on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>JSON (*.json)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>JSON (*.json);;All files (*)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Joinery ended unexpectedly twice in a row, so the last chat was not opened by itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Joinery measurements</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KL divergence, largest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KL divergence, mean</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KL without all of these</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KL without {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache a token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache when open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache: follow live</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache: load a prompt cache …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache: rewind …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache: save the prompt cache …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>KV cache: walk through the steps</source>
      <translation type="unfinished" />
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
      <source>Keys on this page</source>
      <translation>Tasten auf dieser Seite</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Language</source>
      <translation>Sprache</translation>
    </message>
    <message>
      <source>Languages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Larger (+)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last 10 s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Latency, cache and memory over time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Layers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Layers (CSV) …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Least and largest value</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Least information lost (entropy)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave the zoom</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leaves the zoom (double click, or 0)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Length to go back to</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lets the picture stand still; measuring goes on (Ctrl+Space)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Light</source>
      <translation>Hell</translation>
    </message>
    <message>
      <source>Light or dark, or as the system says.</source>
      <translation>Hell oder dunkel, oder wie das System es vorgibt.</translation>
    </message>
    <message>
      <source>Lines: decode</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lines: prefill</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Link the weights instead of copying them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Live</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Load a prompt cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Loaded {0} tokens from {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Loading the charts …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Load…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Log of the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Long prefill blocks run out of the picture, so that decode steps can be told apart.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Longest context</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look for devices again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look into a graph's inputs, outputs and operators, or chat with a bundle.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Looking at %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Looking for devices</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Loss of each layer, as one minus the cosine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Made by onnxruntime: in no graph of the bundle.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Made by {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Made or changed by {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Makes tokens that came before less likely; 1 is off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Max new tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Measure</source>
      <translation>Messen</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory while building</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Message of: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Min-p</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>More</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>More for %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Move over a step to see its token. Drag to zoom, double click to leave; arrows go step by step.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Mu: settings in five languages; it brings its own code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Neither bundle says which layers it has.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Netron</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Netron is being started</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Netron's view needs Qt WebEngine, which cannot be loaded ({0}): install what Debian calls {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Netron, after</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Netron, before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New chat (Ctrl+N)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New tokens a prompt at most</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next change (])</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next match (n)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next stage</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No KV cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No action is called so.</source>
      <translation>Keine Aktion heißt so.</translation>
    </message>
    <message>
      <source>No bundle is open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No bundles yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No chat template: the model completes what was written so far.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No comparison</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No device was reported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No earlier chats</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No graph is shown.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No node differs between the two graphs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No passes are recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No passes for this model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No picture yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No recent bundles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No worker running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nodes on {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nodes that are left to the CPU</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>None</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>None of these graphs has past and present tensors.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not for this model: %1.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not tried yet: a check runs a chunk and a step, and tells which nodes the provider takes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Note</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing chosen yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing compared yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing is being built</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing is known of how these graphs run together.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing leaves this machine: Joinery sends no telemetry, switches onnxruntime's off, and connects only where you ask for it (a model from the hub, a provider's plugin).</source>
      <translation>Nichts verlässt diesen Rechner: Joinery sendet keine Telemetrie, schaltet die von onnxruntime ab und verbindet sich nur, wo Sie es verlangen (ein Modell vom Hub, das Plug-in eines Providers).</translation>
    </message>
    <message>
      <source>Nothing measured yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing to inspect yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>ONNX files (*.onnx)</source>
      <translation>ONNX-Dateien (*.onnx)</translation>
    </message>
    <message>
      <source>ONNX graphs (*.onnx)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>One graph for prompt and decoding</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only the CPU can be used here: the Devices page says what would bring another provider.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only the graphs of the bundle that is open can be tried.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only the k most probable tokens; 0 is off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only the most probable tokens that together reach p; 1 is off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only this asks the network. Files go to the Hugging Face cache of this machine.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only those that differ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Only tokens at least this probable relative to the best; 0 is off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open Joinery's folder</source>
      <translation>Joinerys Ordner öffnen</translation>
    </message>
    <message>
      <source>Open a bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a bundle and ask something. Sampling, cache layout and provider are in the panel on the right; over a word of a reply its token and the alternatives are shown.</source>
      <translation>Öffnen Sie ein Bündel und fragen Sie etwas. Sampling, Cache-Layout und Provider stehen rechts; über einem Wort der Antwort werden sein Token und die Alternativen gezeigt.</translation>
    </message>
    <message>
      <source>Open a bundle first: Home lists those that you have built.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a bundle you have built, or convert the demo in a minute. The chat comes here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a bundle, or .onnx files with Ctrl+O (two are compared). Double-click a box to open it, click a node for its attributes and values.</source>
      <translation>Öffnen Sie ein Bündel, oder .onnx-Dateien mit Strg+O (zwei werden verglichen). Ein Doppelklick öffnet einen Kasten, ein Klick auf einen Knoten zeigt Attribute und Werte.</translation>
    </message>
    <message>
      <source>Open a bundle, or drop an .onnx file here, or two to compare them: graphs, cache and passes are shown.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a copy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a file …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a session</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open an ONNX file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open an ONNX file or bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open an ONNX file, or choose two to compare</source>
      <translation>Eine ONNX-Datei öffnen, oder zwei zum Vergleich wählen</translation>
    </message>
    <message>
      <source>Open or close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open or compare ONNX files …</source>
      <translation>ONNX-Dateien öffnen oder vergleichen …</translation>
    </message>
    <message>
      <source>Open the last chat</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opening both …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opening the bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opening the bundle …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opening {0} on {1} … a driver may take long to compile what it has not seen.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators whose counts differ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opset {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Optimize</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Output folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Outputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Outputs · {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Overview of the graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Parameters</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pass</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Passes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Passes over the graphs, in this order. The defaults suit the target; this page can be skipped.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Path</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Path of the folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Peak memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Percentile lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Picture (PNG) …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Picture (SVG) …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pictures (*.svg)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pictures (*{0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pipeline file (optional)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Point at a slot, or use the arrow keys.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Precision</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prefill and decode apart</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prefill chunk</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prefill off by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Previous change ([)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Previous match (N)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Previous version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Privacy</source>
      <translation>Datenschutz</translation>
    </message>
    <message>
      <source>Producer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Progress of looking at the source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Progress of the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt caches (*{0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt tokens that one prefill run takes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompts (*.txt *.jsonl);;All files (*)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Provider</source>
      <translation>Provider</translation>
    </message>
    <message>
      <source>Provider of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Provider that the graph is coloured by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Providers without dynamic shapes need two; both share their weights.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put ONNX graphs together …</source>
      <translation>ONNX-Graphen zusammensetzen …</translation>
    </message>
    <message>
      <source>Put graphs together</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put together …</source>
      <translation>Zusammensetzen …</translation>
    </message>
    <message>
      <source>Quantize</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Quit</source>
      <translation>Beenden</translation>
    </message>
    <message>
      <source>Qwen3: a chat about sums, capitals and opposites</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Read again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading every file …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading its values …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading the prompt …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading {0} …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reads every file and compares it with the manifest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recent bundles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recipe</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recipe as JSON</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Refused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Refused in this stage</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Remove %1 from the list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Remove from list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reopen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reopen the bundle</source>
      <translation>Bündel neu öffnen</translation>
    </message>
    <message>
      <source>Repetition penalty</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Report (JSON) …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset the measurements</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset the settings to defaults</source>
      <translation>Einstellungen zurücksetzen</translation>
    </message>
    <message>
      <source>Reset to defaults</source>
      <translation>Zurücksetzen</translation>
    </message>
    <message>
      <source>Resident memory of the worker processes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Resume</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Resume or retry the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retry from here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Review</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rewind</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Route</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Running: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Runs to keep</source>
      <translation>Aufbewahrte Läufe</translation>
    </message>
    <message>
      <source>Sampling</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save as JSON, with all branches …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save as Markdown …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save picture …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save the chat as JSON</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save the chat as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save the picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save the prompt cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Saved to {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Scale to decode</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Scatter in place</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Scope {0}, {1}. {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Scopes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Seed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Send</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Sends the prompt (Enter)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Session</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <source>Settings (Ctrl+,)</source>
      <translation>Einstellungen (Strg+,)</translation>
    </message>
    <message>
      <source>Shape</source>
      <translation type="unfinished" />
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
      <source>Show or hide the chat settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide the settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the cache as it is now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Side by side</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Since {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <source>Skip to review</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Sliding window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Slots of cache group {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smaller (-)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Source length</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Speed on {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Speed or accuracy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stage</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stage before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stage of the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stages of the build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start a new build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start over</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Starting pip …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>State</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Static cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Static: ends when full</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Step of the generation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Step off by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Step under the pointer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Steps (CSV) …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop opening</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop strings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop strings, one a line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop the reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped after %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped before the bundle was open.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped: the worker did not answer and was ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped: the worker was ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped; nothing was written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopping …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Suggest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Suggest nodes to exclude from quantization</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>System prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>T5: a phrase book from English to French, and short summaries</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>TTFT</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>TTFT {0} ms · last token {1} ms</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Target</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Task</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Temperature</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tensor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>TensorScatter writes the cache itself, and attention may have any mask or bias.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text (*.txt);;All (*)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text of the message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The answer appears here; tokens that differ are marked.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The build can be left and cancelled; it resumes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The build was stopped. What was finished is kept, and Resume goes on from there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The bundle is damaged; build it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The bundle is tried: a chunk and a step, beside the CPU …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The bundle is whole: every file was written and checked.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The bundles you used last, and the ways in: convert a checkpoint, try the demo, open a file.</source>
      <translation>Die zuletzt benutzten Bündel und die Wege hinein: einen Checkpoint umwandeln, die Demo probieren, eine Datei öffnen.</translation>
    </message>
    <message>
      <source>The cache holds {0} tokens again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The cache is being changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The chat could not be exported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The chat is already open in another window; a copy of it can go on here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The chat's next turn reuses what the cache holds of its beginning, a loaded cache too, and computes the rest: after a rewind only what was forgotten.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The checkpoint to convert: config.json, safetensors weights and a tokenizer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The conversation goes on with {0} instead of {1}; the next prompt computes its cache anew.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The encoder ({0}) keeps no cache: it reads a source once and hands the cross cache over.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The engine does not say which lengths this cache can go back to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The engine named no execution provider on this machine.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The file could not be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The file {0} cannot be read: {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The folder in which it is to lie</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The folder with tokenizer.json</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graph cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graph has no nodes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graph is being read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graph writes its cache itself: build another for this layout.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graphs are compiled: {0}, {1}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graphs as they are: nothing is made otherwise for it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graphs of one model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graphs stay as they are exported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The graphs that the model is cut into, and the cache that joins them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The largest difference to the CPU provider: of logits, and of keys and values.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The last chat could not be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The model as it is</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The model goes on from these words as if they were its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The model itself answers these prompts, and each graph is fitted to what it sees: a text file with a prompt a line, or a data set's folder. A demo has prompts of its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The picture could not be saved: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The picture could not be saved: {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The pipeline file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The recipe is kept in the bundle; the same recipe builds the same bundle.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The reply begins with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The reply ends before any of these; \n stands for a line end.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The same seed draws the same tokens.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The session ended</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The session is busy with another reply.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The settings are as at first again.</source>
      <translation>Die Einstellungen sind wieder wie am Anfang.</translation>
    </message>
    <message>
      <source>The whole graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The worker process ended unexpectedly: %1.</source>
      <translation type="unfinished" />
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
      <source>There is no bundle to export: open one first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This chat could not be saved.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>This checkpoint brings %n Python file(s) that would run here:</source>
      <translation type="unfinished">
        <numerusform />
        <numerusform />
      </translation>
    </message>
    <message>
      <source>This is a folder of onnxruntime-genai's, read in place; nothing is written to it.</source>
      <translation>Das ist ein Ordner von onnxruntime-genai; er wird gelesen, wo er liegt, und nichts wird hineingeschrieben.</translation>
    </message>
    <message>
      <source>This model keeps no cache.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This page</source>
      <translation>Diese Seite</translation>
    </message>
    <message>
      <source>Time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>To begin</source>
      <translation>Für den Anfang</translation>
    </message>
    <message>
      <source>Tokenizer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokenizer folder (optional)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tools, as JSON</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Top-k</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Top-p</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Transformer apart, in operators of NPUs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try the demo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try the demo: it is built here in about a minute, without a network. Or drop a folder or an .onnx file anywhere on the window.</source>
      <translation>Probieren Sie die Demo: Sie wird hier in etwa einer Minute gebaut, ohne Netz. Oder legen Sie einen Ordner oder eine .onnx-Datei irgendwo auf dem Fenster ab.</translation>
    </message>
    <message>
      <source>Trying {0}: a chunk and a step, beside the CPU …</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Two graphs are compared. Parts of one model can be put together instead.</source>
      <translation>Zwei Graphen werden verglichen. Teile eines Modells lassen sich stattdessen zusammensetzen.</translation>
    </message>
    <message>
      <source>Type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Undo</source>
      <translation>Rückgängig</translation>
    </message>
    <message>
      <source>Undo removing a bundle from the list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Untitled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Up, in an empty field</source>
      <translation>Auf, im leeren Feld</translation>
    </message>
    <message>
      <source>Use the CPU</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Vendor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Verify bundle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Verify files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Verify the bundle's files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version 1, for the released package</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version 2, as proposed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version of the configuration</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version {0} of {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Vocabulary</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Weights</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What Chat first opens a bundle on, from the next start on. Where it is not usable, that is the CPU.</source>
      <translation>Worauf der Chat ein Bündel zuerst öffnet, vom nächsten Start an. Wo das nicht geht, ist es die CPU.</translation>
    </message>
    <message>
      <source>What is 8 times 7?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What is chosen once: appearance, where bundles go, how much history is kept.</source>
      <translation>Was einmal gewählt wird: die Darstellung, wohin Bündel kommen, wie viel Verlauf aufbewahrt wird.</translation>
    </message>
    <message>
      <source>What is found is shown here before anything is converted: architecture, parameters, tokenizer, and any code that the checkpoint brings along.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What is shown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What is the capital of France?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What is the opposite of hot?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What the encoder is fixed to: a shorter source is padded to it, a longer one is refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What the graphs make cannot be told yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What the graphs take and give is being read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What the provider makes of the bundle's graphs is made once and kept, so that they open at once.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What the window speaks. It changes when Joinery is started again.</source>
      <translation>Was das Fenster spricht. Es ändert sich, wenn Joinery neu gestartet wird.</translation>
    </message>
    <message>
      <source>What the worker answered cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What they do</source>
      <translation>Was sie tun</translation>
    </message>
    <message>
      <source>What this machine can run a bundle on, and what a provider lacks where it is not usable.</source>
      <translation>Worauf dieser Rechner ein Bündel ausführen kann, und was einem Provider fehlt, der nicht benutzbar ist.</translation>
    </message>
    <message>
      <source>What this machine can run a bundle on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What was built: how its parts run together, each graph from the export through every pass, what two stages differ in, and the KV cache slot by slot.</source>
      <translation>Was gebaut wurde: wie die Teile zusammen laufen, jeder Graph vom Export durch jeden Pass, worin sich zwei Stufen unterscheiden, und der KV-Cache Platz für Platz.</translation>
    </message>
    <message>
      <source>Where</source>
      <translation>Wo</translation>
    </message>
    <message>
      <source>Where it was lost</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Where new bundles are proposed to go, from the next start on. Those that exist stay.</source>
      <translation>Wohin neue Bündel vorgeschlagen werden, vom nächsten Start an. Vorhandene bleiben, wo sie sind.</translation>
    </message>
    <message>
      <source>Where to</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Window: slides on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>With another file…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>With the stage before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>With {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Workers %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Write a prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Written by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Written to {0}. Run it with: python sample.py "a prompt"</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Written: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>You</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Your data is in {0}</source>
      <translation>Ihre Daten liegen in {0}</translation>
    </message>
    <message>
      <source>a new line</source>
      <translation>eine neue Zeile</translation>
    </message>
    <message>
      <source>about %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>about %1 of weights</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>about {0} left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>added</source>
      <translation>hinzugefügt</translation>
    </message>
    <message>
      <source>after a load</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>after a rewind</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>all</source>
      <translation>alle</translation>
    </message>
    <message>
      <source>all {0} tokens are equal</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>allocated, empty</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>allocated, empty or padding</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>as all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>at {0} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>back to {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>before it began</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>both</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cache {0} of {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>capacity {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>changed</source>
      <translation>geändert</translation>
    </message>
    <message>
      <source>changed nothing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>chat template</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>checked {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>closed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>compared with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>computed once by the encoder for each source, and only read from then on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>context {0} of {1} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>context: no bundle is open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cut off when the worker or the window ended</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>decode</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>decode token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>decode “{0}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>done</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>edit the last question</source>
      <translation>die letzte Frage bearbeiten</translation>
    </message>
    <message>
      <source>empty</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>empty, its token is gone</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>empty: no session of this bundle runs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>empty: nothing has been generated yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>empty; its token is gone</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>equal so far</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>everywhere</source>
      <translation>überall</translation>
    </message>
    <message>
      <source>failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>filled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>filled over an evicted token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>first token “{0}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>forgets {0} of {1} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>from</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>frozen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>generated</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>go to a neighbour in the graph; with Shift move it</source>
      <translation>im Graphen zum Nachbarn gehen; mit Umschalt verschieben</translation>
    </message>
    <message>
      <source>graph input</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>graph output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>greedy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>hidden state</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>hidden states, cosine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>inputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>it could not be started (%1)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>it is not UTF-8 text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>kept, before the window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>keys and values, cosine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>largest difference {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>latency</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>latency in ms</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>layer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>layer {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>layers {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>live</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>live · {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>logits, largest difference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>max {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>mean {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>measure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>min {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>more than the %1 that are free</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>needs consent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no chat template</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no legal length: what the next token would see is gone</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no room for another token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>none</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>none: sees all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>none: the source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not allocated yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not checked</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not loaded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not reported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not supported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not to be run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not usable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>of %1 free</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>on it: {0} of {1} nodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>on {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>one a source token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>open or close the chosen box</source>
      <translation>den gewählten Kasten öffnen oder schließen</translation>
    </message>
    <message>
      <source>or begin with one of these:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>or drop a folder here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>outputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>owner/name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>padding</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>past</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>perplexity of the answers, candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>perplexity of the answers, reference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>perplexity of the prompts, candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>perplexity of the prompts, reference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>position {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>position {0}, before the window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>positions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>prefill</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>prefill chunk</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>present</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>random</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>reference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>removed</source>
      <translation>entfernt</translation>
    </message>
    <message>
      <source>reused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>runs here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>scalar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>send</source>
      <translation>senden</translation>
    </message>
    <message>
      <source>show its values</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>skipped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>slot {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>source token {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>source, frozen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>starting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>std {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>step {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>steps</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped at a stop string</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped at max new tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>stopped by you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>supported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the demo's held-back questions, or plain sentences</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the demo's own prompts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the encoder, once</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the first {0} tokens are equal, the next one differs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the graph, GroupQueryAttention</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the graph, TensorScatter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the model finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the newest {0}</source>
      <translation>die neuesten {0}</translation>
    </message>
    <message>
      <source>the next token goes here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>then</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>time generating</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>to</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>token</source>
      <translation>Token</translation>
    </message>
    <message>
      <source>tokens</source>
      <translation>Token</translation>
    </message>
    <message>
      <source>top-1 agreement</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>top-5 overlap</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>unchanged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>up to</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>usable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>used %1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>value</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>values</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>waiting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>write head</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written by the graph</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written by the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written once, then read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>zoom the graph in and out, fit it, show it in full size</source>
      <translation>den Graphen vergrößern, verkleinern, einpassen, in voller Größe zeigen</translation>
    </message>
    <message>
      <source>{0} NaN</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} added</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} allocated</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} before the window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} cannot be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} evicted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} functions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} infinite</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is no folder: give the whole path of one.</source>
      <translation>{0} ist kein Ordner: Geben Sie den ganzen Pfad eines Ordners an.</translation>
    </message>
    <message>
      <source>{0} is no legal length</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is written as a folder with genai_config.json, tokenizer, and a sample in Python and in C++ that runs it without Joinery. What it cannot say is refused before anything is written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} left it alone: {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} nodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} nodes are left to the CPU</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} nodes are the same.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} nodes, {1} kinds of operator · opset {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of nodes · off by {1} · {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} greedy tokens equal</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} prompts are answered with the same tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} used</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} padded at the left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} questions, candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} questions, reference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} refused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} removed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} slots</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} tokens held</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} values</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} zeros</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} · {1} source tokens · computed once by the encoder, only read since</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} → {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>… {0} more</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>

"""How people ask for a setting in five languages, as plain tables.

A request is a verb on an object ("turn up the volume"), a complaint ("the screen is too dark") or a bare wish
("more light"), in a frame ("please …, thanks"). `{o}` is the object, `{n}` a number.
"""

from dataclasses import dataclass

Texts = tuple[str, ...]


def _lines(text: str) -> Texts:
    return tuple(line.strip() for line in text.split("|"))


@dataclass(frozen=True)
class Verb:
    """The same order as an imperative and as an infinitive."""

    imperative: str
    infinitive: str


@dataclass(frozen=True)
class Language:
    """Objects by setting, verbs and terse orders by change, complaints and wishes by both, frames, and what is no
    setting at all: other requests, and `strangers`, objects that somebody else turns on and off."""

    objects: dict[str, Texts]
    verbs: dict[str, tuple[Verb, ...]]
    terse: dict[str, Texts]
    said: dict[tuple[str, str], Texts]
    imperative_frames: Texts
    infinitive_frames: Texts
    said_frames: Texts
    others: Texts
    strangers: Texts


def _verbs(text: str) -> tuple[Verb, ...]:
    """`imperative / infinitive`, or one form for both."""
    forms = [[form.strip() for form in line.split("/")] for line in text.split("|")]
    return tuple(Verb(form[0], form[-1]) for form in forms)


ENGLISH = Language(
    objects={
        "brightness": _lines("the brightness | brightness | the screen brightness | the display brightness"),
        "volume": _lines("the volume | volume | the sound | the sound volume"),
        "bluetooth": _lines("bluetooth | the bluetooth | the bluetooth radio"),
        "wifi": _lines("wifi | the wifi | wi-fi | the wireless network"),
        "dark mode": _lines("dark mode | the dark mode | the dark theme | dark theme"),
        "night light": _lines("night light | the night light | the night mode | the blue light filter"),
    },
    verbs={
        "on": _verbs(
            "turn on {o} | turn {o} on | switch on {o} | switch {o} on | enable {o} | activate {o} | start {o}"
        ),
        "off": _verbs(
            "turn off {o} | turn {o} off | switch off {o} | switch {o} off | disable {o} | deactivate {o} | stop {o}"
        ),
        "+": _verbs("turn up {o} | turn {o} up | increase {o} | raise {o} | make {o} higher"),
        "-": _verbs("turn down {o} | turn {o} down | decrease {o} | lower {o} | reduce {o}"),
        "set": _verbs(
            "set {o} to {n} | set {o} to {n} percent | change {o} to {n} | put {o} at {n}% | "
            "adjust {o} to {n} percent"
        ),
    },
    terse={
        "on": _lines("{o} on"),
        "off": _lines("{o} off"),
        "+": _lines("{o} up | more {o} | higher {o}"),
        "-": _lines("{o} down | less {o} | lower {o}"),
        "set": _lines("{o} {n} | {o} to {n} | {o} at {n}% | {n} percent {o}"),
    },
    said={
        ("brightness", "+"): _lines(
            "make the screen brighter | the screen is too dark | my display is too dim | brighter | "
            "brighter screen | I can hardly see the screen | I need more light on the screen"
        ),
        ("brightness", "-"): _lines(
            "make the screen darker | the screen is too bright | my display hurts my eyes | dim the screen | "
            "dimmer screen | the display is blinding me | I need less light on the screen"
        ),
        ("volume", "+"): _lines(
            "make it louder | the sound is too quiet | I cannot hear anything | louder | louder music | speak up | "
            "I can hardly hear the video"
        ),
        ("volume", "-"): _lines(
            "make it quieter | the sound is too loud | my ears hurt | quieter | quieter music | "
            "it is much too loud | the video is too noisy"
        ),
        ("volume", "mute"): _lines(
            "mute | mute the sound | mute my computer | no sound | silence | turn the sound off | be silent"
        ),
        ("bluetooth", "on"): _lines(
            "I want to connect my headphones | pair my wireless mouse | connect my bluetooth keyboard | "
            "I need bluetooth"
        ),
        ("bluetooth", "off"): _lines(
            "disconnect my headphones | disconnect my bluetooth keyboard | no more bluetooth | "
            "I do not need bluetooth"
        ),
        ("wifi", "on"): _lines(
            "connect to the internet | I want to go online | I need the internet | connect me to the network"
        ),
        ("wifi", "off"): _lines(
            "disconnect from the internet | I want to go offline | I do not need the internet | no more wifi"
        ),
        ("dark mode", "on"): _lines(
            "make all windows dark | I want dark windows | I prefer a dark background | use dark colours"
        ),
        ("dark mode", "off"): _lines(
            "make all windows light | I want light windows | I prefer a light background | use light colours | "
            "switch to light mode"
        ),
        ("night light", "on"): _lines(
            "I want warmer colours at night | make the colours warmer | less blue light | show warm colours"
        ),
        ("night light", "off"): _lines(
            "I want cooler colours | make the colours cooler | stop the warm colours | show normal colours again"
        ),
    },
    imperative_frames=_lines(
        "{} | {} | {} | please {} | {} please | {} now | hey, {} | {} for me | {}, thanks | just {} | now {} | "
        "computer, {} | {} quickly | okay, {} | and {}"
    ),
    infinitive_frames=_lines(
        "can you {} | can you {} for me | could you {} | could you please {} | would you {} | I want you to {} | "
        "I would like to {} | I want to {} | how do I {} | please help me to {} | let us {} | you should {}"
    ),
    said_frames=_lines(
        "{} | {} | {} | {} please | hey, {} | okay, {} | {}, thanks | computer, {} | well, {} | sorry, {}"
    ),
    others=_lines(
        "what is the weather | play a song | tell me a joke | open the calendar | send a message to my mother | "
        "what time is it | set an alarm | find a restaurant | print this page | who are you | take a picture | "
        "order a pizza | call my brother | translate this sentence | write a letter | what is for dinner | hello | "
        "show me the news | buy some milk | start the car | is it raining | restart | delete the files | "
        "open the window | what is two plus two | how are you | lock the door | read my mail | where am I | "
        "good night | what is the capital of France | cancel the meeting | thank you | write some code"
    ),
    strangers=_lines(
        "the computer | the television | the lamp | the heating | the printer | the camera | the oven | the alarm"
    ),
)  # fmt: skip

SPANISH = Language(
    objects={
        "brightness": _lines("el brillo | el brillo de la pantalla | la luminosidad | el brillo del monitor"),
        "volume": _lines("el volumen | el sonido | el volumen del sonido | el audio"),
        "bluetooth": _lines("el bluetooth | bluetooth | la conexión bluetooth"),
        "wifi": _lines("el wifi | wifi | la red inalámbrica | la conexión wifi"),
        "dark mode": _lines("el modo oscuro | modo oscuro | el tema oscuro"),
        "night light": _lines("la luz nocturna | luz nocturna | el modo nocturno | el filtro de luz azul"),
    },
    verbs={
        "on": _verbs(
            "enciende {o} / encender {o} | activa {o} / activar {o} | pon {o} / poner {o} | "
            "conecta {o} / conectar {o} | habilita {o} / habilitar {o}"
        ),
        "off": _verbs(
            "apaga {o} / apagar {o} | desactiva {o} / desactivar {o} | quita {o} / quitar {o} | "
            "desconecta {o} / desconectar {o} | deshabilita {o} / deshabilitar {o}"
        ),
        "+": _verbs(
            "sube {o} / subir {o} | aumenta {o} / aumentar {o} | incrementa {o} / incrementar {o} | "
            "pon más alto {o} / poner más alto {o}"
        ),
        "-": _verbs(
            "baja {o} / bajar {o} | reduce {o} / reducir {o} | disminuye {o} / disminuir {o} | "
            "pon más bajo {o} / poner más bajo {o}"
        ),
        "set": _verbs(
            "pon {o} al {n} / poner {o} al {n} | pon {o} al {n} por ciento / poner {o} al {n} por ciento | "
            "ajusta {o} a {n} / ajustar {o} a {n} | cambia {o} al {n}% / cambiar {o} al {n}%"
        ),
    },
    terse={
        "on": _lines("{o} encendido | {o} sí"),
        "off": _lines("{o} apagado | {o} no"),
        "+": _lines("más {o} | {o} más alto"),
        "-": _lines("menos {o} | {o} más bajo"),
        "set": _lines("{o} {n} | {o} al {n} | {o} a {n}% | {o} al {n} por ciento"),
    },
    said={
        ("brightness", "+"): _lines(
            "la pantalla está muy oscura | casi no veo la pantalla | más brillo | quiero una pantalla más clara | "
            "necesito más luz en la pantalla | haz la pantalla más clara"
        ),
        ("brightness", "-"): _lines(
            "la pantalla brilla demasiado | la pantalla me deslumbra | menos brillo | "
            "quiero una pantalla más oscura | necesito menos luz en la pantalla | me duelen los ojos"
        ),
        ("volume", "+"): _lines(
            "no oigo nada | el sonido es muy bajo | más fuerte | más volumen | casi no oigo el vídeo | "
            "quiero oír mejor la música"
        ),
        ("volume", "-"): _lines(
            "hay demasiado ruido | el sonido es muy fuerte | más bajito | menos volumen | me duelen los oídos | "
            "quiero la música más baja"
        ),
        ("volume", "mute"): _lines(
            "silencio | silencia el ordenador | sin sonido | quita el sonido | silenciar | ningún sonido"
        ),
        ("bluetooth", "on"): _lines(
            "quiero conectar mis auriculares | conecta mi ratón inalámbrico | necesito bluetooth | "
            "conecta mi teclado bluetooth"
        ),
        ("bluetooth", "off"): _lines(
            "desconecta mis auriculares | no necesito bluetooth | desconecta mi teclado bluetooth | no más bluetooth"
        ),
        ("wifi", "on"): _lines(
            "conéctame a internet | quiero entrar en internet | necesito internet | conéctate a la red"
        ),
        ("wifi", "off"): _lines(
            "desconéctame de internet | quiero estar sin conexión | no necesito internet | no más wifi"
        ),
        ("dark mode", "on"): _lines(
            "quiero ventanas oscuras | prefiero un fondo oscuro | usa colores oscuros | pon todo oscuro"
        ),
        ("dark mode", "off"): _lines(
            "quiero ventanas claras | prefiero un fondo claro | usa colores claros | pon el modo claro"
        ),
        ("night light", "on"): _lines(
            "quiero colores más cálidos | menos luz azul | usa colores cálidos | los colores más cálidos de noche"
        ),
        ("night light", "off"): _lines(
            "quiero colores más fríos | quita los colores cálidos | usa colores fríos | los colores normales otra vez"
        ),
    },
    imperative_frames=_lines(
        "{} | {} | {} | por favor, {} | {} por favor | {} ahora | oye, {} | {} ya | {}, gracias | ahora {} | "
        "ordenador, {} | {} rápido | bueno, {} | y {}"
    ),
    infinitive_frames=_lines(
        "¿puedes {}? | ¿podrías {}? | ¿me puedes {}? | puedes {} | quiero {} | quisiera {} | me gustaría {} | "
        "¿cómo puedo {}? | necesito {} | hay que {} | tienes que {} | ayúdame a {}"
    ),
    said_frames=_lines("{} | {} | {} | {} por favor | oye, {} | bueno, {} | {}, gracias | ordenador, {} | perdona, {}"),
    others=_lines(
        "qué tiempo hace | pon una canción | cuenta un chiste | abre el calendario | envía un mensaje a mi madre | "
        "qué hora es | pon una alarma | busca un restaurante | imprime esta página | quién eres | haz una foto | "
        "pide una pizza | llama a mi hermano | traduce esta frase | escribe una carta | qué hay de cenar | hola | "
        "enséñame las noticias | compra leche | arranca el coche | está lloviendo | reinicia | borra los archivos | "
        "abre la ventana | cuánto son dos más dos | cómo estás | cierra la puerta | lee mi correo | dónde estoy | "
        "buenas noches | cuál es la capital de Francia | cancela la reunión | gracias | escribe un programa"
    ),
    strangers=_lines(
        "el ordenador | la televisión | la lámpara | la calefacción | la impresora | la cámara | el horno | la alarma"
    ),
)  # fmt: skip

GERMAN = Language(
    objects={
        "brightness": _lines("die Helligkeit | Helligkeit | die Bildschirmhelligkeit | die Helligkeit vom Bildschirm"),
        "volume": _lines("die Lautstärke | Lautstärke | den Ton | den Lautstärkepegel"),
        "bluetooth": _lines("Bluetooth | das Bluetooth | die Bluetooth-Verbindung"),
        "wifi": _lines("WLAN | das WLAN | das WiFi | das drahtlose Netz"),
        "dark mode": _lines("den Dunkelmodus | Dunkelmodus | den dunklen Modus | das dunkle Design"),
        "night light": _lines("das Nachtlicht | Nachtlicht | den Nachtmodus | den Blaulichtfilter"),
    },
    verbs={
        "on": _verbs(
            "schalte {o} ein / {o} einschalten | schalt {o} an / {o} anschalten | mach {o} an / {o} anmachen | "
            "aktiviere {o} / {o} aktivieren | starte {o} / {o} starten"
        ),
        "off": _verbs(
            "schalte {o} aus / {o} ausschalten | schalt {o} ab / {o} abschalten | mach {o} aus / {o} ausmachen | "
            "deaktiviere {o} / {o} deaktivieren | stoppe {o} / {o} stoppen"
        ),
        "+": _verbs(
            "erhöhe {o} / {o} erhöhen | mach {o} höher / {o} höher machen | dreh {o} auf / {o} aufdrehen | "
            "stell {o} höher / {o} höher stellen"
        ),
        "-": _verbs(
            "verringere {o} / {o} verringern | senke {o} / {o} senken | dreh {o} runter / {o} runterdrehen | "
            "stell {o} niedriger / {o} niedriger stellen"
        ),
        "set": _verbs(
            "stell {o} auf {n} / {o} auf {n} stellen | setze {o} auf {n} Prozent / {o} auf {n} Prozent setzen | "
            "ändere {o} auf {n}% / {o} auf {n}% ändern | "
            "stell {o} auf {n} Prozent ein / {o} auf {n} Prozent einstellen"
        ),
    },
    terse={
        "on": _lines("{o} an | {o} ein"),
        "off": _lines("{o} aus | {o} ab"),
        "+": _lines("mehr {o} | {o} höher | {o} rauf"),
        "-": _lines("weniger {o} | {o} niedriger | {o} runter"),
        "set": _lines("{o} {n} | {o} auf {n} | {o} auf {n}% | {o} {n} Prozent"),
    },
    said={
        ("brightness", "+"): _lines(
            "mach den Bildschirm heller | der Bildschirm ist zu dunkel | heller | ich sehe kaum etwas | "
            "ich brauche mehr Licht am Bildschirm | einen helleren Bildschirm"
        ),
        ("brightness", "-"): _lines(
            "mach den Bildschirm dunkler | der Bildschirm ist zu hell | dunkler | der Bildschirm blendet mich | "
            "ich brauche weniger Licht am Bildschirm | einen dunkleren Bildschirm"
        ),
        ("volume", "+"): _lines(
            "mach es lauter | der Ton ist zu leise | lauter | ich höre nichts | ich höre das Video kaum | "
            "lautere Musik"
        ),
        ("volume", "-"): _lines(
            "mach es leiser | der Ton ist zu laut | leiser | mir tun die Ohren weh | das Video ist viel zu laut | "
            "leisere Musik"
        ),
        ("volume", "mute"): _lines("stumm | stumm schalten | schalte den Computer stumm | kein Ton | Ruhe | Ton aus"),
        ("bluetooth", "on"): _lines(
            "ich will meine Kopfhörer verbinden | verbinde meine kabellose Maus | ich brauche Bluetooth | "
            "verbinde meine Bluetooth-Tastatur"
        ),
        ("bluetooth", "off"): _lines(
            "trenne meine Kopfhörer | trenne meine Bluetooth-Tastatur | ich brauche kein Bluetooth | "
            "kein Bluetooth mehr"
        ),
        ("wifi", "on"): _lines(
            "verbinde mich mit dem Internet | ich will ins Internet | ich brauche Internet | "
            "verbinde dich mit dem Netz"
        ),
        ("wifi", "off"): _lines(
            "trenne mich vom Internet | ich will offline sein | ich brauche kein Internet | kein WLAN mehr"
        ),
        ("dark mode", "on"): _lines(
            "ich will dunkle Fenster | ich mag einen dunklen Hintergrund | nimm dunkle Farben | "
            "mach alle Fenster dunkel"
        ),
        ("dark mode", "off"): _lines(
            "ich will helle Fenster | ich mag einen hellen Hintergrund | nimm helle Farben | "
            "wechsle in den hellen Modus"
        ),
        ("night light", "on"): _lines(
            "ich will wärmere Farben | weniger blaues Licht | nimm warme Farben | mach die Farben wärmer"
        ),
        ("night light", "off"): _lines(
            "ich will kältere Farben | keine warmen Farben mehr | nimm wieder normale Farben | mach die Farben kälter"
        ),
    },
    imperative_frames=_lines(
        "{} | {} | {} | bitte {} | {} bitte | {} jetzt | hey, {} | {} für mich | {}, danke | jetzt {} | "
        "Computer, {} | {} schnell | okay, {} | und {}"
    ),
    infinitive_frames=_lines(
        "kannst du {} | könntest du {} | kannst du bitte {} | würdest du {} | ich möchte {} | ich will {} | "
        "bitte {} | wie kann ich {} | du sollst {} | hilf mir {} | wir müssen {} | {}"
    ),
    said_frames=_lines(
        "{} | {} | {} | {} bitte | hey, {} | okay, {} | {}, danke | Computer, {} | also, {} | entschuldige, {}"
    ),
    others=_lines(
        "wie ist das Wetter | spiel ein Lied | erzähl einen Witz | öffne den Kalender | "
        "schick meiner Mutter eine Nachricht | wie spät ist es | stell einen Wecker | such ein Restaurant | "
        "druck diese Seite | wer bist du | mach ein Foto | bestell eine Pizza | ruf meinen Bruder an | "
        "übersetze diesen Satz | schreib einen Brief | was gibt es zu essen | hallo | zeig mir die Nachrichten | "
        "kauf Milch | starte das Auto | regnet es | starte neu | lösche die Dateien | öffne das Fenster | "
        "was ist zwei plus zwei | wie geht es dir | schließ die Tür ab | lies meine Post | wo bin ich | gute Nacht | "
        "was ist die Hauptstadt von Frankreich | sag das Treffen ab | danke schön | schreib ein Programm"
    ),
    strangers=_lines(
        "den Computer | den Fernseher | die Lampe | die Heizung | den Drucker | die Kamera | den Ofen | den Alarm"
    ),
)  # fmt: skip

FRENCH = Language(
    objects={
        "brightness": _lines("la luminosité | luminosité | la luminosité de l'écran | la clarté de l'écran"),
        "volume": _lines("le volume | volume | le son | le volume du son"),
        "bluetooth": _lines("le bluetooth | bluetooth | la connexion bluetooth"),
        "wifi": _lines("le wifi | wifi | le réseau sans fil | la connexion wifi"),
        "dark mode": _lines("le mode sombre | mode sombre | le thème sombre"),
        "night light": _lines("l'éclairage nocturne | éclairage nocturne | le mode nuit | le filtre de lumière bleue"),
    },
    verbs={
        "on": _verbs(
            "active {o} / activer {o} | allume {o} / allumer {o} | mets {o} / mettre {o} | lance {o} / lancer {o} | "
            "démarre {o} / démarrer {o}"
        ),
        "off": _verbs(
            "désactive {o} / désactiver {o} | éteins {o} / éteindre {o} | coupe {o} / couper {o} | "
            "arrête {o} / arrêter {o} | enlève {o} / enlever {o}"
        ),
        "+": _verbs(
            "augmente {o} / augmenter {o} | monte {o} / monter {o} | mets {o} plus haut / mettre {o} plus haut | "
            "relève {o} / relever {o}"
        ),
        "-": _verbs(
            "baisse {o} / baisser {o} | diminue {o} / diminuer {o} | mets {o} plus bas / mettre {o} plus bas | "
            "réduis {o} / réduire {o}"
        ),
        "set": _verbs(
            "mets {o} à {n} / mettre {o} à {n} | règle {o} à {n} pour cent / régler {o} à {n} pour cent | "
            "change {o} à {n}% / changer {o} à {n}% | fixe {o} à {n} / fixer {o} à {n}"
        ),
    },
    terse={
        "on": _lines("{o} oui | {o} en marche"),
        "off": _lines("{o} non | {o} à l'arrêt"),
        "+": _lines("plus de {o} | {o} plus haut"),
        "-": _lines("moins de {o} | {o} plus bas"),
        "set": _lines("{o} {n} | {o} à {n} | {o} à {n}% | {o} à {n} pour cent"),
    },
    said={
        ("brightness", "+"): _lines(
            "l'écran est trop sombre | rends l'écran plus clair | je ne vois presque rien | plus clair | "
            "plus de luminosité | un écran plus clair"
        ),
        ("brightness", "-"): _lines(
            "l'écran est trop clair | rends l'écran plus sombre | l'écran m'éblouit | plus sombre | "
            "moins de luminosité | un écran plus sombre"
        ),
        ("volume", "+"): _lines(
            "plus fort | je n'entends rien | le son est trop faible | plus de volume | j'entends mal la vidéo | "
            "la musique plus fort"
        ),
        ("volume", "-"): _lines(
            "moins fort | c'est trop fort | le son est trop fort | moins de volume | j'ai mal aux oreilles | "
            "la musique moins fort"
        ),
        ("volume", "mute"): _lines(
            "silence | muet | coupe le son | aucun son | plus de son du tout | rends l'ordinateur muet"
        ),
        ("bluetooth", "on"): _lines(
            "je veux connecter mon casque | connecte ma souris sans fil | j'ai besoin du bluetooth | "
            "connecte mon clavier bluetooth"
        ),
        ("bluetooth", "off"): _lines(
            "déconnecte mon casque | déconnecte mon clavier bluetooth | je n'ai pas besoin du bluetooth | "
            "pas de bluetooth"
        ),
        ("wifi", "on"): _lines(
            "connecte-moi à internet | je veux aller sur internet | j'ai besoin d'internet | connecte-toi au réseau"
        ),
        ("wifi", "off"): _lines(
            "déconnecte-moi d'internet | je veux être hors ligne | je n'ai pas besoin d'internet | pas de wifi"
        ),
        ("dark mode", "on"): _lines(
            "je veux des fenêtres sombres | je préfère un fond sombre | prends des couleurs sombres | "
            "rends toutes les fenêtres sombres"
        ),
        ("dark mode", "off"): _lines(
            "je veux des fenêtres claires | je préfère un fond clair | prends des couleurs claires | "
            "passe en mode clair"
        ),
        ("night light", "on"): _lines(
            "je veux des couleurs plus chaudes | moins de lumière bleue | prends des couleurs chaudes | "
            "rends les couleurs plus chaudes"
        ),
        ("night light", "off"): _lines(
            "je veux des couleurs plus froides | enlève les couleurs chaudes | prends des couleurs normales | "
            "rends les couleurs plus froides"
        ),
    },
    imperative_frames=_lines(
        "{} | {} | {} | s'il te plaît, {} | {} s'il te plaît | {} maintenant | hé, {} | {} pour moi | {}, merci | "
        "maintenant {} | ordinateur, {} | {} vite | bon, {} | et {}"
    ),
    infinitive_frames=_lines(
        "peux-tu {} ? | tu peux {} ? | pourrais-tu {} ? | est-ce que tu peux {} ? | je veux {} | je voudrais {} | "
        "j'aimerais {} | comment {} ? | il faut {} | tu dois {} | aide-moi à {} | {}"
    ),
    said_frames=_lines(
        "{} | {} | {} | {} s'il te plaît | hé, {} | bon, {} | {}, merci | ordinateur, {} | alors, {} | pardon, {}"
    ),
    others=_lines(
        "quel temps fait-il | joue une chanson | raconte une blague | ouvre le calendrier | "
        "envoie un message à ma mère | quelle heure est-il | mets un réveil | trouve un restaurant | "
        "imprime cette page | qui es-tu | prends une photo | commande une pizza | appelle mon frère | "
        "traduis cette phrase | écris une lettre | qu'est-ce qu'on mange | bonjour | montre-moi les nouvelles | "
        "achète du lait | démarre la voiture | est-ce qu'il pleut | redémarre | efface les fichiers | "
        "ouvre la fenêtre | combien font deux plus deux | comment vas-tu | ferme la porte à clé | lis mon courrier | "
        "où suis-je | bonne nuit | quelle est la capitale de la France | annule la réunion | merci beaucoup | "
        "écris un programme"
    ),
    strangers=_lines(
        "l'ordinateur | la télévision | la lampe | le chauffage | l'imprimante | la caméra | le four | l'alarme"
    ),
)  # fmt: skip

CHINESE = Language(
    objects={
        "brightness": _lines("亮度 | 屏幕亮度 | 屏幕的亮度 | 显示器亮度"),
        "volume": _lines("音量 | 声音 | 系统音量 | 电脑的音量"),
        "bluetooth": _lines("蓝牙 | 蓝牙连接 | 蓝牙功能"),
        "wifi": _lines("无线网 | 无线网络 | wifi | 无线连接"),
        "dark mode": _lines("深色模式 | 暗色模式 | 深色主题"),
        "night light": _lines("夜灯 | 夜间模式 | 夜间护眼 | 蓝光过滤"),
    },
    verbs={
        "on": _verbs("打开{o} | 开启{o} | 启用{o} | 把{o}打开 | 启动{o}"),
        "off": _verbs("关闭{o} | 关掉{o} | 停用{o} | 把{o}关掉 | 把{o}关了"),
        "+": _verbs("调高{o} | 提高{o} | 增加{o} | 把{o}调高 | 加大{o}"),
        "-": _verbs("调低{o} | 降低{o} | 减小{o} | 把{o}调低 | 减少{o}"),
        "set": _verbs("把{o}调到{n} | 把{o}设为百分之{n} | {o}调到{n}% | 设置{o}为{n} | 把{o}设成{n}"),
    },
    terse={
        "on": _lines("{o}开"),
        "off": _lines("{o}关"),
        "+": _lines("{o}高一点 | {o}大一点"),
        "-": _lines("{o}低一点 | {o}小一点"),
        "set": _lines("{o}{n} | {o}{n}% | {o}百分之{n} | {o}到{n}"),
    },
    said={
        ("brightness", "+"): _lines("屏幕太暗了 | 让屏幕更亮 | 亮一点 | 我看不清屏幕 | 屏幕需要更多的光"),
        ("brightness", "-"): _lines("屏幕太亮了 | 让屏幕更暗 | 暗一点 | 屏幕很刺眼 | 我的眼睛疼"),
        ("volume", "+"): _lines("大声一点 | 我听不见 | 声音太小了 | 音乐大声点 | 听不清视频"),
        ("volume", "-"): _lines("小声一点 | 太吵了 | 声音太大了 | 音乐小声点 | 我的耳朵疼"),
        ("volume", "mute"): _lines("静音 | 把电脑静音 | 不要声音 | 安静 | 没有声音最好"),
        ("bluetooth", "on"): _lines("我要连接耳机 | 连接我的无线鼠标 | 我需要蓝牙 | 连接蓝牙键盘"),
        ("bluetooth", "off"): _lines("断开耳机 | 断开蓝牙键盘 | 我不需要蓝牙 | 不要蓝牙了"),
        ("wifi", "on"): _lines("连接互联网 | 我要上网 | 我需要网络 | 连上网络"),
        ("wifi", "off"): _lines("断开互联网 | 我要离线 | 我不需要网络 | 不要上网了"),
        ("dark mode", "on"): _lines("我要深色的窗口 | 我喜欢深色背景 | 使用深色 | 所有窗口变成深色"),
        ("dark mode", "off"): _lines("我要浅色的窗口 | 我喜欢浅色背景 | 使用浅色 | 换成浅色模式"),
        ("night light", "on"): _lines("颜色暖一点 | 少一点蓝光 | 使用暖色 | 晚上用暖色"),
        ("night light", "off"): _lines("颜色冷一点 | 不要暖色 | 使用正常颜色 | 恢复冷色"),
    },
    imperative_frames=_lines(
        "{} | {} | {} | 请{} | 请你{} | {}吧 | 帮我{} | {},谢谢 | 现在{} | 马上{} | 电脑,{} | 好,{} | 快点{} | 麻烦{}"
    ),
    infinitive_frames=_lines(
        "你能{}吗? | 能不能{} | 可以{}吗? | 我想{} | 我要{} | 怎么{}? | 请帮我{} | 你可以{}吗 | 我们需要{} | "
        "应该{} | 能帮我{}吗? | 我希望{}"
    ),
    said_frames=_lines("{} | {} | {} | {}吧 | {},谢谢 | 电脑,{} | 好,{} | 现在{} | 对不起,{}"),
    others=_lines(
        "今天天气怎么样 | 放一首歌 | 讲个笑话 | 打开日历 | 给妈妈发消息 | 现在几点 | 设置闹钟 | 找一家餐厅 | "
        "打印这一页 | 你是谁 | 拍张照片 | 点一个披萨 | 给哥哥打电话 | 翻译这句话 | 写一封信 | 晚饭吃什么 | 你好 | "
        "看新闻 | 买牛奶 | 发动汽车 | 下雨了吗 | 重启 | 删除文件 | 打开窗户 | 二加二等于几 | 你好吗 | 锁门 | "
        "读我的邮件 | 我在哪里 | 晚安 | 法国的首都是哪里 | 取消会议 | 谢谢 | 写一段代码"
    ),
    strangers=_lines("电脑 | 电视 | 台灯 | 暖气 | 打印机 | 相机 | 烤箱 | 闹钟"),
)  # fmt: skip

LANGUAGES = {"English": ENGLISH, "Chinese": CHINESE, "Spanish": SPANISH, "German": GERMAN, "French": FRENCH}

# One query of each kind, as a person would say it, always trained on: setting and change by the words in each language.
QUERIES = {
    "English": {
        "make the screen brighter": ("brightness", "+"), "turn down the volume": ("volume", "-"),
        "turn on bluetooth": ("bluetooth", "on"), "turn off the wifi": ("wifi", "off"),
        "switch on dark mode": ("dark mode", "on"), "turn on the night light": ("night light", "on"),
    },
    "Chinese": {
        "让屏幕更亮": ("brightness", "+"), "调低音量": ("volume", "-"), "打开蓝牙": ("bluetooth", "on"),
        "关闭无线网": ("wifi", "off"), "打开深色模式": ("dark mode", "on"), "打开夜灯": ("night light", "on"),
    },
    "Spanish": {
        "sube el brillo": ("brightness", "+"), "baja el volumen": ("volume", "-"),
        "enciende el bluetooth": ("bluetooth", "on"), "apaga el wifi": ("wifi", "off"),
        "activa el modo oscuro": ("dark mode", "on"), "enciende la luz nocturna": ("night light", "on"),
    },
    "German": {
        "mach den Bildschirm heller": ("brightness", "+"), "verringere die Lautstärke": ("volume", "-"),
        "schalte Bluetooth ein": ("bluetooth", "on"), "schalte das WLAN aus": ("wifi", "off"),
        "aktiviere den Dunkelmodus": ("dark mode", "on"), "schalte das Nachtlicht ein": ("night light", "on"),
    },
    "French": {
        "augmente la luminosité": ("brightness", "+"), "baisse le volume": ("volume", "-"),
        "active le bluetooth": ("bluetooth", "on"), "coupe le wifi": ("wifi", "off"),
        "active le mode sombre": ("dark mode", "on"), "allume l'éclairage nocturne": ("night light", "on"),
    },
}  # fmt: skip

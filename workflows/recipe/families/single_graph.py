"""Models of a single graph without a cache: text encoders, image models, depth estimation."""

from workflows.recipe.families.base import ENCODER_PASSES, IMAGE_PASSES, Family

ENCODER = Family(
    name="encoder",
    model_types=(
        "albert",
        "bert",
        "camembert",
        "distilbert",
        "electra",
        "modernbert",
        "mpnet",
        "roberta",
        "xlm-roberta",
    ),
    tasks=("feature-extraction", "fill-mask", "text-classification", "token-classification"),
    layouts=(),
    refused={},
    passes=ENCODER_PASSES,
    covers="bert, roberta, distilbert and variants",
    reads="tokens",
)

IMAGE = Family(
    name="image",
    model_types=(
        "beit",
        "convnext",
        "convnextv2",
        "deit",
        "dinov2",
        "efficientnet",
        "mobilenet_v2",
        "regnet",
        "resnet",
        "swin",
        "vit",
    ),
    tasks=("image-classification", "feature-extraction"),
    layouts=(),
    refused={},
    passes=IMAGE_PASSES,
    covers="resnet, convnext, vit and variants",
    reads="pixels",
)

DEPTH = Family(
    name="depth",
    model_types=("depth_anything", "depth_pro", "dpt", "glpn", "zoedepth"),
    tasks=("depth-estimation",),
    layouts=(),
    refused={},
    passes=IMAGE_PASSES,
    covers="depth_pro, dpt, depth_anything",
    reads="pixels",
)

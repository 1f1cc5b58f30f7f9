"""The passes by name, in their order: cleaning before fusing, and packing before Gemm fusion."""

from workflows.optimize.base import Pass
from workflows.optimize.passes.clamp_constant_values import ClampConstantValues
from workflows.optimize.passes.clean_opset_imports import CleanOpsetImports
from workflows.optimize.passes.common_subexpressions import CommonSubexpressions
from workflows.optimize.passes.constant_folding import ConstantFolding
from workflows.optimize.passes.contrib_gelu import ContribGelu
from workflows.optimize.passes.dead_nodes import DeadNodes
from workflows.optimize.passes.float_masks import FloatMasks
from workflows.optimize.passes.fold_tied_head import FoldTiedHead
from workflows.optimize.passes.fuse_rmsnorm import FuseRMSNorm
from workflows.optimize.passes.fuse_rotary import FuseRotary
from workflows.optimize.passes.gelu_fusion import GeluFusion
from workflows.optimize.passes.gqa_attention import GqaAttention
from workflows.optimize.passes.heads_first import HeadsFirst
from workflows.optimize.passes.last_token_logits import LastTokenLogits
from workflows.optimize.passes.logits_rows import LogitsRows
from workflows.optimize.passes.matmul_add_fusion import MatMulAddFusion
from workflows.optimize.passes.means_apart import MeansApart
from workflows.optimize.passes.norm_in_three_axes import NormInThreeAxes
from workflows.optimize.passes.pack_gate_up import PackGateUp
from workflows.optimize.passes.pack_qkv import PackQKV
from workflows.optimize.passes.portable_convolution import PortableConvolution
from workflows.optimize.passes.portable_recurrence import PortableRecurrence
from workflows.optimize.passes.position_tables import PositionTables
from workflows.optimize.passes.remove_isnan_in_attention_mask import RemoveIsNaNInAttentionMask
from workflows.optimize.passes.simplify_layout import SimplifyLayout
from workflows.optimize.passes.skip_layernorm import SkipLayerNorm
from workflows.optimize.passes.split_attention import SplitAttention
from workflows.optimize.passes.strip_metadata import StripMetadata

PASSES: dict[str, Pass] = {
    a_pass.name: a_pass
    for a_pass in (
        StripMetadata(),
        ConstantFolding(),
        DeadNodes(),
        ClampConstantValues(),
        RemoveIsNaNInAttentionMask(),
        GeluFusion(),
        FuseRMSNorm(),
        FuseRotary(),
        PackQKV(),
        PackGateUp(),
        GqaAttention(),
        SplitAttention(),
        SkipLayerNorm(),
        FoldTiedHead(),
        LastTokenLogits(),
        LogitsRows(),
        CommonSubexpressions(),
        HeadsFirst(),
        SimplifyLayout(),
        MatMulAddFusion(),
        FloatMasks(),
        MeansApart(),
        NormInThreeAxes(),
        PositionTables(),
        ContribGelu(),
        PortableRecurrence(),
        PortableConvolution(),
        CleanOpsetImports(),
    )
}

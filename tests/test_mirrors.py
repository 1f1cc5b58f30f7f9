"""Where each module of the engine is tested: in the file of its name, or together with others in a file listed here."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGINE, TESTS = ROOT / "workflows", ROOT / "tests" / "workflows"

REPORTS = "wire/reports/"  # all of them are written, read and written again in one test

# Test file → the modules that it runs and that are tested in it together: each shows in what they do as a whole.
TOGETHER = {
    # a process, a command or a stage is run whole
    "builder/test_calibrate": "quantize/calibration/trajectories",
    "quantize/calibration/test_moments": "quantize/compensated_rounding",
    "builder/test_goal": "builder/evaluate",
    "builder/test_imports": "builder/quantize",
    "builder/test_run": "optimize/passes/strip_metadata",
    "builder/test_text_tasks": "builder/dense_layers",
    "cli/test_chat": "cli/chat_partner cli/line_input",
    "cli/test_cli": "cli/build cli/flags cli/input_files cli/progress cli/verify",
    "cli/test_devices": "cli/capabilities",
    "cli/test_embed": "cli/classify cli/text_flags",
    "cli/test_inspect": "inspection/contents",
    "cli/test_remote": "cli/diverge_machines cli/remote_flag",
    "interop/test_samples": "cli/samples",
    "cli/test_streams": (
        "cli/assemble cli/bench cli/compile cli/console cli/output cli/plugins cli/preflight cli/profile common/locks"
    ),
    "adapters/test_transformers": "adapters/media_inputs adapters/transcription",
    "generate/speech/test_alignment": "generate/speech/word_times",
    "generate/test_sound_prompts": "generate/media_prompts",
    "generate/test_chat_template": "templates/limits templates/renderer templates/service",
    "process/test_sandbox": "process/sandbox/linux process/sandbox/windows",
    "service/sweep/test_schedule": "service/sweep/executors",
    "service/http/test_openai_client": (  # a server is run whole
        "cli/serve generate/call_reader service/http/app service/http/bodies service/http/context "
        "service/http/event_stream service/http/generations service/http/media_files service/http/metrics "
        "service/http/prompts service/http/replies service/http/speech service/http/texts"
    ),
    "service/http/test_status": "service/http/request_log",
    "service/http/test_responses": "service/http/response_items",
    "service/http/test_robust": (
        "service/http/api_errors service/http/guard service/http/listening service/http/run service/http/served_model "
        "service/http/served_worker"
    ),
    "service/remote/test_connection": (
        "process/activity process/guard process/run_outbox service/remote/child "
        "service/remote/copying "
        "service/remote/machine_check service/remote/path_fields service/remote/remote_command "
        "service/remote/remote_history service/remote/remote_worker"
    ),
    "service/test_worker": "service/job_runner service/jobs",
    "test_packages": "__main__",
    "test_precision": "recipe/settings",
    # the files of a checkpoint and of a bundle are read and written whole
    "bundle/genai/test_folder": "bundle/genai/metadata",
    "bundle/genai/test_to_version2": "bundle/genai/keys bundle/genai/speculation bundle/genai/version1",
    "bundle/test_read": (
        "bundle/evidence bundle/outline bundle/session_options bundle/speculation bundle/strict_model "
        "common/tensor_names"
    ),
    "bundle/test_verify": "bundle/manifest",
    "checkpoint/test_checkpoint": (
        "checkpoint/configuration checkpoint/files checkpoint/source checkpoint/tokenizer checkpoint/weights"
    ),
    "checkpoint/gguf/test_architectures": "checkpoint/gguf/stacked_experts",
    "checkpoint/gguf/test_folder": "checkpoint/gguf/model checkpoint/gguf/parts checkpoint/gguf/tensors",
    "checkpoint/peft/test_adapter": "checkpoint/peft/base checkpoint/peft/settings",
    "checkpoint/peft/test_merging": "checkpoint/peft/changes",
    "checkpoint/quantized/test_methods": (
        "checkpoint/block_rows checkpoint/blocks checkpoint/packed checkpoint/quantized/forms "
        "checkpoint/quantized/layers"
    ),
    "quantize/test_stored_blocks": "quantize/held_rows",
    "checkpoint/test_hub": "checkpoint/download checkpoint/hub_cache",
    # an export is judged by what its graph computes, a recipe by what is made of it
    "export/own_attention/test_alibi": "export/own_attention/bloom export/own_attention/mpt",
    "export/own_attention/test_xlm": "export/own_attention/refusals",
    "export/own_attention/test_state_models": (
        "export/own_attention/inkling export/own_attention/minimax export/own_attention/zaya"
    ),
    "export/test_repeated_layers": "export/layer_kinds",
    "export/test_transformer_only": "export/decoder export/load export/reference export/signature",
    "builder/test_streamed": "evaluation/layerwise_parity",
    "cli/test_tune": "evaluation/tuning/source",
    "evaluation/accuracy/test_compared_bundle": "evaluation/accuracy/compared_side",
    "evaluation/tuning/test_kernel_times": "evaluation/tuning/product_sizes",
    "evaluation/test_segments": "evaluation/segment_session evaluation/segmentation",
    "families/test_demos": "export/remote_encoder_decoder",
    "families/test_identity": "export/in_place",
    "families/test_switched_adapters": (
        "builder/switched_adapters runtime/execution/active_adapter runtime/program/adapter_factors"
    ),
    "families/test_single": "recipe/task runtime/single_graph",
    "recipe/test_cache_layout": (
        "inspection/probe/checkpoint_facts recipe/families recipe/family recipe/resolve recipe/schema recipe/target"
    ),
    # a generation is judged by its tokens, and so are drafts and the cache
    "generate/speculative/test_decoding": (
        "generate/speculative/draft generate/speculative/draft_length generate/speculative/draft_model "
        "generate/speculative/ngram"
    ),
    "generate/speculative/test_extra_heads": "generate/speculative/head_graph",
    "generate/test_controller": "generate/controllers",
    "generate/test_engine": (
        "generate/cached_prompt generate/generation generate/loading generate/notices generate/options "
        "generate/prefill generate/prompt_encoder"
    ),
    "generate/test_logits_chain": "generate/constraints",
    "generate/test_logits_combination": "bundle/strategy generate/auxiliary_model",
    "kvcache/test_cache": ("kvcache/buffers kvcache/cache_inputs kvcache/layouts kvcache/step_planner"),
    # texts to vectors and labels, by what comes out
    "predict/test_classifier": "predict/prompts predict/spans predict/turns",
    "predict/test_embedder": "bundle/text_tasks predict/pooling predict/text_encoder predict/text_model",
    # pictures to labels and depths, likewise
    "predict/test_picture_classifier": (
        "builder/picture_tasks checkpoint/picture_settings export/picture_size predict/picture_model"
    ),
    "predict/test_depth_estimator": "bundle/picture_tasks cli/depth predict/depth_files",
    # comparisons and pictures
    "common/test_tensors": "common/element_types",
    "evaluation/accuracy/test_tasks": "common/table_files",
    "evaluation/divergence/test_diverge": (
        "evaluation/divergence/feed_plan evaluation/divergence/graph_taps evaluation/divergence/matching "
        "evaluation/divergence/subject"
    ),
    "evaluation/goal/test_search": "evaluation/goal/mix_judge",
    "inspection/picture/test_layout": (
        "inspection/picture/columns inspection/picture/diagram inspection/picture/drawing"
    ),
    "inspection/report/test_runs_report": "inspection/report/document",
    "inspection/test_flat_graph": "graph/scopes",
    "inspection/test_graph_diff": "inspection/node_matching inspection/opened_graph",
    "inspection/test_node_profile": "measure/profile",
    "inspection/test_snapshots": "inspection/build_stages",
    "interop/test_assemble": "interop/feature_placement",
    "interop/gguf_export/test_export": (
        "interop/gguf_export/graph_weights interop/gguf_export/metadata interop/gguf_export/packing "
        "interop/gguf_export/vocabulary interop/gguf_export/writer"
    ),
    "interop/test_genai_composites": "interop/genai_pictures interop/genai_speech",
    "interop/test_genai_export": "graph/signature interop/genai_graphs interop/graph_ends",
    "measure/test_bench": "measure/roofline",
    # what changes graphs, and reads them for that
    "graph/test_load": "graph/dtypes graph/external_data graph/operator_schemas graph/subgraphs",
    "optimize/passes/test_logits_rows": "optimize/graph_edits optimize/logits_head",
    "optimize/passes/test_mending": (
        "optimize/passes/float_masks optimize/passes/means_apart optimize/passes/norm_in_three_axes "
        "optimize/passes/position_tables"
    ),
    "optimize/passes/test_packing": "optimize/packing optimize/passes/pack_gate_up optimize/passes/pack_qkv",
    "optimize/passes/test_tidying": (
        "optimize/passes/clean_opset_imports optimize/passes/constant_folding optimize/passes/dead_nodes"
    ),
    "optimize/test_base": "optimize/queries",
    "quantize/test_block_quantization": "quantize/error_compensation quantize/grids",
    "quantize/test_mixed_precision": "quantize/half_storage",
    "quantize/test_qdq": "quantize/qdq_plan",
    "quantize/test_weight_only": "quantize/lazy_tensors",
    # pictures and sound are read from whole files
    "media/pictures/test_processor": (
        "media/pictures/fixed_size media/pictures/patch_grid media/pictures/pixel_values media/pictures/ratio_tiles "
        "media/pictures/resolution_tiles media/pictures/sized_patches media/pictures/pooled_patches "
        "media/pictures/tiles"
    ),
    # a run of a bundle on a device
    "runtime/loading/test_compiled_contexts": "bundle/contexts runtime/providers/context_compiler",
    "runtime/program/test_compiler": (
        "runtime/program/cache_facts runtime/program/program runtime/program/setting_faults runtime/program/signature"
    ),
    "runtime/program/test_pipeline_inference": "runtime/program/graph_roles",
    "runtime/providers/test_install": "runtime/providers/webgpu",
    "runtime/providers/test_registry": "runtime/providers/assignment",
    "runtime/providers/test_windows_catalog": "runtime/providers/dml runtime/providers/fetch",
    "runtime/test_composites": (
        "kvcache/grid_positions runtime/execution/binding runtime/execution/binding_cache runtime/execution/machine "
        "runtime/execution/run_control runtime/loading/machines"
    ),
    "runtime/test_fake_providers": ("runtime/providers/find_device runtime/providers/provider"),
    # what goes over the wire
    "wire/test_codec": "wire/events wire/reports/",
    "wire/test_requests": "wire/request_lines",
}


def engine_modules() -> set[str]:
    """`package/module` of each module but the packages themselves."""
    found = (path.relative_to(ENGINE).with_suffix("") for path in ENGINE.rglob("*.py"))
    return {path.as_posix() for path in found if path.name != "__init__"}


def mirror(module: str) -> Path:
    package, _, name = module.rpartition("/")
    return TESTS / package / f"test_{name}.py"


def test_each_module_of_the_engine_has_its_tests() -> None:
    """Beside it in the mirrored folder, or in a file of the list, which lists nothing else."""
    alone = {module for module in engine_modules() if not mirror(module).exists()}
    listed = [module for modules in TOGETHER.values() for module in modules.split()]
    alone = {REPORTS if module.startswith(REPORTS) else module for module in alone}
    assert sorted(alone - {*listed}) == [], "write tests/workflows/…/test_<module>.py, or list where it is tested"
    assert sorted({*listed} - alone) == [], "has a file of its own, or is gone"
    assert len({*listed}) == len(listed), "listed twice"
    assert [name for name in TOGETHER if not (TESTS / f"{name}.py").exists()] == []

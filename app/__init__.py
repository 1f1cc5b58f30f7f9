"""The window: a workbench over the engine, which runs in worker processes.

    main.py      wiring alone
    state/       observable models without widgets
    jobs/        the only place that starts processes
    widgets/     theme and small shared widgets
    library/ wizard/ inspect/ chat/ charts/ devices/    a folder a page; views are thin

Of `workflows` it imports the events, the errors and the bundle reader alone;
never torch, transformers, onnx, onnxruntime.
"""

"""Sweeps: many builds, evaluations and benchmarks from one plan, resumable after any end.

PLAN.toml ──plan──▶ SweepPlan ──steps──▶ [SweepStep] ──run, schedule──▶ executors │ dask_cluster
                                                                           │ step_runner ──▶ [ step_process ]
RUNS/steps/STEP/result.json ◀─────────────────────────────────────────────┘
"""

import { Hook } from './hook/hook.entity.js';
import { HookSecret } from './hook/hook-secret.entity.js';
import { Run } from './run/run.entity.js';
import { RunStep } from './run/run-step.entity.js';
import { Workflow } from './workflow/workflow.entity.js';

/** Every table of the service but `run_queue`, which only hand-written SQL reaches, and the tables of the libraries. */
export const entities = [Hook, HookSecret, Run, RunStep, Workflow];

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Addresses } from '../../scripts/platform/addresses.mjs';
import type { RunState } from '../../scripts/platform/run-state.mjs';

/** Where the platform of this run answers. */
export const addresses: Addresses = JSON.parse(process.env.E2E_ADDRESSES ?? 'null');

/** Process ids and what else changes while the platform runs. */
export async function runState(): Promise<RunState> {
  return JSON.parse(await readFile(path.join(addresses.dataDir, 'run.json'), 'utf8'));
}

/** The process that runs a service now. */
export async function pidOf(service: string): Promise<number> {
  const child = (await runState()).children.find(({ name }) => name === service);
  if (!child) throw new Error(`${service} does not run`);
  return child.pid;
}

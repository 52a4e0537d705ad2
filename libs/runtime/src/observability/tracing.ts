import { randomUUID } from 'node:crypto';
import { PLATFORM_VERSION } from '@crm/contracts';
import { startTracing, type Tracing } from '@crm/telemetry';
import type { ServiceConfig } from '../configuration/service-config.js';

/** Turns tracing on if it is configured; before anything is traced. */
export async function startServiceTracing({
  name,
  tracing,
}: Pick<ServiceConfig, 'name' | 'tracing'>): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  return startTracing(tracing, { name, version: PLATFORM_VERSION, instanceId: randomUUID() });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WebhookService } from './webhook-service.js';

/** The built service, as it runs in production. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/**
 * Another process of the same service on the same database and broker.
 * @returns what kills it with SIGKILL; resolves when it has ended
 */
export async function startProcess({ config, receiver }: WebhookService): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-webhooks-'));
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, receiver.ca);
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PROFILE: 'test',
      PORT: '0',
      LOG_LEVEL: 'error',
      NATS_URL: config.service.nats.url,
      NATS_PASSWORD: config.service.nats.password,
      DATABASE_URL: config.database.url,
      DATABASE_NARROW_URL: config.database.narrowUrl,
      KEY_ENCRYPTION_KEY: config.keyEncryptionKey,
      EGRESS_ALLOW: new URL(receiver.url).host,
      EGRESS_CA_FILE: caFile,
      WEBHOOK_RETRY_DELAYS: config.delivery.retryDelaysMs.map((ms) => `${ms}ms`).join(','),
    },
  });
  const ended = once(child, 'exit').then(() => rm(folder, { recursive: true, force: true }));
  return () => {
    child.kill('SIGKILL');
    return ended;
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { USERS_NODE } from '../../../scripts/setup/node.mjs';
import type { Answer, Receiver } from './receiver.js';

/** Starts a receiver as its README says: `node dist/<framework>/receiver.js`, on a free port. */
export async function spawnReceiver(framework: string, secrets: string): Promise<Receiver> {
  const program = path.join(import.meta.dirname, '..', 'dist', framework, 'receiver.js');
  const child = spawn(USERS_NODE, [program], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRETS: secrets, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`The receiver for ${framework} ended: ${errors.join('')}`);
    return value;
  };
  const [, port] = /^listening on port (\d+)$/.exec(await nextLine()) ?? [];
  if (port === undefined) throw new Error(`The receiver for ${framework} did not name its port`);
  return {
    send: (headers, body) => post(Number(port), headers, body),
    nextHandled: nextLine,
    close: () => end(child),
  };
}

async function post(port: number, headers: Record<string, string>, body: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/crm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NATS_USERS, type NatsUser, natsServerConfig } from '@crm/messaging';

export interface OwnNatsServer {
  url: string;
  passwords: Readonly<Record<NatsUser, string>>;
  stop(): void;
}

const START_TIMEOUT_MS = 10_000;
const PASSWORD = 'test';

/**
 * Runs the server as long as somebody holds the other end of standard input: it ends with us, however we end. Its folder
 * goes when it has ended and writes there no more.
 */
const RUN_WHILE_HELD = '"$0" --config "$1" & child=$!; cat > /dev/null; kill "$child"; wait "$child"; rm -rf "$2"';

/**
 * Starts a nats-server on a free port, with the users and permissions of production, and waits until it listens.
 * Synchronous, because test files ask for its address while they build their configuration; it takes some 30 ms.
 */
export function startOwnNatsServer(program: string): OwnNatsServer {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'crm-test-nats-'));
  const passwords = Object.fromEntries(NATS_USERS.map((user) => [user, PASSWORD])) as Record<NatsUser, string>;
  const config = path.join(folder, 'nats.conf');
  const text = natsServerConfig({ host: '127.0.0.1', port: -1, storeDir: path.join(folder, 'jetstream'), passwords });
  writeFileSync(config, `${text}ports_file_dir: ${JSON.stringify(folder)}\n`);
  const shell = spawn('sh', ['-c', RUN_WHILE_HELD, program, config, folder], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  const stop = () => {
    shell.stdin.destroy();
  };
  try {
    return { url: waitForAddress(folder, shell), passwords, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** The server writes the ports it chose into a file. */
function waitForAddress(folder: string, shell: ChildProcess): string {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && shell.exitCode === null) {
    const file = readdirSync(folder).find((name) => name.endsWith('.ports'));
    const written = file && readFileSync(path.join(folder, file), 'utf8');
    if (written) return (JSON.parse(written) as { nats: [string] }).nats[0];
    // Nothing else may run meanwhile: the caller waits synchronously.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  throw new Error(`nats-server did not start within ${START_TIMEOUT_MS} ms`);
}

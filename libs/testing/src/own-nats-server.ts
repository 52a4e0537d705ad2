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

/** The server ends with us, however we end, as somebody must hold its standard input. Its folder goes after that. */
const RUN_WHILE_HELD = '"$0" --config "$1" & child=$!; cat > /dev/null; kill "$child"; wait "$child"; rm -rf "$2"';

/** With production's users and permissions. Synchronous, as configurations ask for its address; it takes some 30 ms. */
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

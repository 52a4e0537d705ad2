import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { MAX_FILE_STORE, NATS_USERS, type NatsUser, natsServerConfig, provisionStreams } from '@crm/messaging';
import { testServers } from './config.js';
import { waitUntil } from './wait-until.js';

export interface TestNats {
  url: string;
  passwords: Readonly<Record<NatsUser, string>>;
}

interface OwnNatsServer extends TestNats {
  /** Kills it; its store stays. */
  kill(): Promise<void>;
  /** On the same port, with what it had stored. */
  startAgain(): void;
  stop(): void;
}

const START_TIMEOUT_MS = 10_000;

const passwordsOf = (password: string): TestNats['passwords'] =>
  Object.fromEntries(NATS_USERS.map((user) => [user, password])) as Record<NatsUser, string>;

/** The server ends with us, however we end, as someone must hold its standard input. Its folder goes after that. */
const RUN_WHILE_HELD = '"$0" --config "$1" & child=$!; cat > /dev/null; kill "$child"; wait "$child"; rm -rf "$2"';

/** With production's users and permissions. Synchronous, as configurations ask for its address; it takes some 30 ms. */
function startOwnNatsServer(program: string): OwnNatsServer {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'crm-test-nats-'));
  const passwords = passwordsOf('test');
  const config = path.join(folder, 'nats.conf');
  const shells: { stdin: Writable }[] = [];
  const stop = () => {
    for (const { stdin } of shells) stdin.destroy();
  };
  const start = (port: number) => {
    const storeDir = path.join(folder, 'jetstream');
    const text = natsServerConfig({ host: '127.0.0.1', port, storeDir, passwords, maxFileStore: MAX_FILE_STORE });
    writeFileSync(config, `${text}ports_file_dir: ${JSON.stringify(folder)}\n`);
    const shell = spawn('sh', ['-c', RUN_WHILE_HELD, program, config, folder], { stdio: ['pipe', 'ignore', 'ignore'] });
    shell.unref();
    shells.push(shell);
    return waitForAddress(folder, shell);
  };
  try {
    const url = start(-1);
    const kill = async () => {
      const file = portsFileIn(folder);
      process.kill(Number(/_(\d+)\.ports$/.exec(file ?? '')?.[1]), 'SIGKILL');
      rmSync(path.join(folder, file ?? ''));
      await waitUntil(async () => !(await isListening(url)), { describe: 'the end of nats-server' });
    };
    return { url, passwords, kill, startAgain: () => start(Number(new URL(url).port)), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

const portsFileIn = (folder: string): string | undefined => readdirSync(folder).find((name) => name.endsWith('.ports'));

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

/** The server writes the ports it chose into a file. */
function waitForAddress(folder: string, shell: ChildProcess): string {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && shell.exitCode === null) {
    const file = portsFileIn(folder);
    const written = file && readFileSync(path.join(folder, file), 'utf8');
    if (written) return (JSON.parse(written) as { nats: [string] }).nats[0];
    // Nothing else may run meanwhile: the caller waits synchronously.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  throw new Error(`nats-server did not start within ${START_TIMEOUT_MS} ms`);
}

let own: OwnNatsServer | undefined;
let provisioned: Promise<unknown> | undefined;

/** One for each test file, so that no other file's consumers take its events; shared where the program is not known. */
export function testNats(): TestNats {
  const program = testServers.natsProgram();
  if (program) {
    own ??= startOwnNatsServer(program);
    return own;
  }
  return { url: testServers.natsUrl(), passwords: passwordsOf(testServers.natsPassword()) };
}

/** Kills the server of this test file, works, and starts it again on the same port, with what it had stored. */
export async function withoutTestNats(work: () => Promise<void>): Promise<void> {
  testNats();
  if (!own) throw new Error('TEST_NATS_PROGRAM is not set: the server is not only ours to kill');
  await own.kill();
  try {
    await work();
  } finally {
    own.startAgain();
  }
}

/** Makes the streams, consumers and buckets in the server of this test file, once. */
export function provisionTestNats(): Promise<unknown> {
  const { url, passwords } = testNats();
  provisioned ??= provisionStreams({ url, user: 'provisioner', password: passwords.provisioner }, { replicas: 1 });
  return provisioned;
}

function stopOwnServer(): void {
  own?.stop();
  own = undefined;
  provisioned = undefined;
  process.off('exit', stopOwnServer);
}

// The Jest environment calls it when every hook of the test file has run: hooks may still need the server.
Object.assign(globalThis, { stopTestServers: stopOwnServer });
process.once('exit', stopOwnServer);

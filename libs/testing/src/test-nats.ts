import { NATS_USERS, type NatsUser, provisionStreams } from '@crm/messaging';
import { testServers } from './config.js';
import { type OwnNatsServer, startOwnNatsServer } from './own-nats-server.js';

export interface TestNats {
  url: string;
  passwords: Readonly<Record<NatsUser, string>>;
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
  const password = testServers.natsPassword();
  return {
    url: testServers.natsUrl(),
    passwords: Object.fromEntries(NATS_USERS.map((user) => [user, password])) as Record<NatsUser, string>,
  };
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
}

// The Jest environment calls it when every hook of the test file has run: hooks may still need the server.
Object.assign(globalThis, { stopTestServers: stopOwnServer });
process.once('exit', stopOwnServer);

import { parseArgs } from 'node:util';
import { isUuid } from '@crm/contracts';
import {
  Database,
  type DeadLetterSummary,
  findDeadLetter,
  listDeadLetters,
  OUTBOX_CONSUMER,
  replayOutboxEvent,
} from '@crm/database';
import { createHttpAdapter, ProblemFilter } from '@crm/http';
import { connectMessaging, MESSAGING_OPTIONS, type MessagingModuleOptions, NatsStrategy } from '@crm/messaging';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from '../configuration/service-config.js';
import { RuntimeModule, type ServiceOptions } from '../runtime.module.js';

const USAGE = `Dead letters of this service, events that its consumers could not handle or the broker refused to take:
  node dead-letters.js                   lists those that wait, oldest first
  node dead-letters.js --replay <id>     handles or publishes one again
  node dead-letters.js --replay-all      handles or publishes all of them again
`;

/** Where dead letters come from: a durable consumer, or the relay of the outbox. */
interface DeadLetterSource {
  readonly name: string;
  /** @throws when it fails again */
  replay(message: DeadLetterSummary): Promise<unknown>;
}

export interface DeadLetterProgramOutput {
  out(text: string): void;
  error(text: string): void;
}

/** @returns exit code: 0, 1 when a dead letter does not exist or failed again, 2 for invalid arguments */
export async function runDeadLetterProgram(
  { service: config }: { readonly service: ServiceConfig },
  module: DynamicModule,
  args: readonly string[],
  output: DeadLetterProgramOutput,
  options: ServiceOptions = {},
): Promise<number> {
  const order = readOrder(args);
  if (!order) {
    output.error(USAGE);
    return 2;
  }
  // Created but never started: it has the handlers, but accepts no events, calls or requests.
  const app = await NestFactory.create<NestFastifyApplication>(
    RuntimeModule.around(module, config, options),
    createHttpAdapter(config, new ProblemFilter(config.baseUrl)),
    { logger: ['error', 'fatal'], abortOnError: false },
  );
  try {
    connectMessaging(app);
    const database = app.get(Database, { strict: false });
    const sources = sourcesOf(app, database);
    if (order.replay !== undefined) return await replayOne(database, sources, order.replay, output);
    if (order.replayAll) return await replayAll(database, sources, output);
    return await list(database, sources, output);
  } finally {
    await app.close();
  }
}

/** {@link runDeadLetterProgram} as a process: its arguments, its streams, its exit code. */
export async function deadLetterProgram(
  config: { readonly service: ServiceConfig },
  module: DynamicModule,
  options?: ServiceOptions,
): Promise<void> {
  process.exitCode = await runDeadLetterProgram(
    config,
    module,
    process.argv.slice(2),
    { out: (text) => process.stdout.write(`${text}\n`), error: (text) => process.stderr.write(`${text}\n`) },
    options,
  );
}

function readOrder(args: readonly string[]): { replay?: string; replayAll?: boolean } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { replay: { type: 'string' }, 'replay-all': { type: 'boolean' } },
    });
    const { replay, 'replay-all': replayAll } = values;
    const isClear = replay === undefined || (isUuid(replay) && !replayAll);
    return isClear ? { ...(replay !== undefined && { replay }), ...(replayAll && { replayAll }) } : undefined;
  } catch {
    return undefined;
  }
}

function sourcesOf(app: NestFastifyApplication, database: Database): DeadLetterSource[] {
  const consumers = app.get(NatsStrategy, { strict: false }).eventConsumers();
  const { outbox } = app.get<MessagingModuleOptions>(MESSAGING_OPTIONS, { strict: false });
  return [
    ...consumers.map((consumer) => ({
      name: consumer.definition.durable,
      replay: (message: DeadLetterSummary) => consumer.replay(message.tenantId, message.id),
    })),
    // The relay of the running service publishes what is put back.
    ...(outbox
      ? [
          {
            name: OUTBOX_CONSUMER,
            replay: ({ id }: DeadLetterSummary) => database.crossTenant((tx) => replayOutboxEvent(tx, id)),
          },
        ]
      : []),
  ];
}

async function list(
  database: Database,
  sources: readonly DeadLetterSource[],
  { out }: DeadLetterProgramOutput,
): Promise<number> {
  let waiting = 0;
  for (const { name } of sources) {
    for await (const message of waitingOf(database, name)) {
      waiting += 1;
      out(describe(message));
    }
  }
  out(`${waiting} waiting`);
  return 0;
}

async function replayOne(
  database: Database,
  sources: readonly DeadLetterSource[],
  id: string,
  output: DeadLetterProgramOutput,
): Promise<number> {
  for (const source of sources) {
    const message = await database.crossTenant((tx) => findDeadLetter(tx, source.name, id));
    if (message) return (await replay(source, message, output)) ? 0 : 1;
  }
  output.error(`${id} does not wait`);
  return 1;
}

async function replayAll(
  database: Database,
  sources: readonly DeadLetterSource[],
  output: DeadLetterProgramOutput,
): Promise<number> {
  let replayed = 0;
  let failed = 0;
  for (const source of sources) {
    for await (const message of waitingOf(database, source.name)) {
      if (await replay(source, message, output)) replayed += 1;
      else failed += 1;
    }
  }
  output.out(`${replayed} replayed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Reads page by page, because after an outage there may be more than fit into memory. */
async function* waitingOf(database: Database, consumer: string): AsyncGenerator<DeadLetterSummary> {
  let page: DeadLetterSummary[] = [];
  do {
    const after = page.at(-1)?.id;
    page = await database.crossTenant((tx) => listDeadLetters(tx, consumer, { after }));
    yield* page;
  } while (page.length > 0);
}

async function replay(
  source: DeadLetterSource,
  message: DeadLetterSummary,
  output: DeadLetterProgramOutput,
): Promise<boolean> {
  try {
    // False: another operator has replayed it since it was read, which is fine.
    await source.replay(message);
    output.out(`${message.id} replayed`);
    return true;
  } catch (error) {
    output.error(`${message.id} failed again: ${firstLine(error instanceof Error ? error.message : String(error))}`);
    return false;
  }
}

/** One line per dead letter, so that the output can be filtered and sorted. Its data belongs to a tenant and is not shown. */
function describe({
  id,
  tenantId,
  consumer,
  eventId,
  subject,
  deliveries,
  createdAt,
  error,
}: DeadLetterSummary): string {
  const fields = [id, createdAt.toISOString(), consumer, tenantId, eventId ?? '-', subject, `${deliveries} deliveries`];
  return [...fields, firstLine(error)].join('\t');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}

import { parseArgs } from 'node:util';
import { isUuid } from '@crm/contracts';
import { Database, type DeadLetterSummary, findDeadLetter, listDeadLetters } from '@crm/database';
import { createHttpAdapter, ProblemFilter } from '@crm/http';
import { connectMessaging, type EventConsumer, NatsStrategy } from '@crm/messaging';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from '../configuration/service-config.js';
import { RuntimeModule } from '../runtime.module.js';
import type { ServiceOptions } from '../service-options.js';

const USAGE = `Dead letters of this service, events that its consumers could not handle:
  node dist/dead-letters.js                   lists those that wait, oldest first
  node dist/dead-letters.js --replay <id>     handles one again
  node dist/dead-letters.js --replay-all      handles all of them again
`;

export interface DeadLetterProgramOutput {
  out(text: string): void;
  error(text: string): void;
}

/**
 * The complete program of a service's `dead-letters.ts`, for operators: lists the dead letters and replays them with the
 * handlers of the service while its processes are running. A message that fails again stays and its new error is printed.
 *
 * @param args the arguments after the name of the program
 * @returns exit code: 0, 1 when a dead letter does not exist or failed again, 2 for invalid arguments
 */
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
    const consumers = app.get(NatsStrategy, { strict: false }).eventConsumers();
    if (order.replay !== undefined) return await replayOne(database, consumers, order.replay, output);
    if (order.replayAll) return await replayAll(database, consumers, output);
    return await list(database, consumers, output);
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

async function list(database: Database, consumers: EventConsumer[], { out }: DeadLetterProgramOutput): Promise<number> {
  let waiting = 0;
  for (const { definition } of consumers) {
    for await (const message of waitingOf(database, definition.durable)) {
      waiting += 1;
      out(describe(message));
    }
  }
  out(`${waiting} waiting`);
  return 0;
}

async function replayOne(
  database: Database,
  consumers: EventConsumer[],
  id: string,
  output: DeadLetterProgramOutput,
): Promise<number> {
  for (const consumer of consumers) {
    const message = await database.crossTenant((tx) => findDeadLetter(tx, consumer.definition.durable, id));
    if (message) return (await replay(consumer, message, output)) ? 0 : 1;
  }
  output.error(`${id} does not wait`);
  return 1;
}

async function replayAll(
  database: Database,
  consumers: EventConsumer[],
  output: DeadLetterProgramOutput,
): Promise<number> {
  let replayed = 0;
  let failed = 0;
  for (const consumer of consumers) {
    for await (const message of waitingOf(database, consumer.definition.durable)) {
      if (await replay(consumer, message, output)) replayed += 1;
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
  consumer: EventConsumer,
  message: DeadLetterSummary,
  output: DeadLetterProgramOutput,
): Promise<boolean> {
  try {
    // False: another operator has replayed it since it was read, which is fine.
    await consumer.replay(message.tenantId, message.id);
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

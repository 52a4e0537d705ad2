import type { ServiceName } from '@crm/contracts';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Opens a connection to NATS as another service has it, with its user and permissions. */
export function connectedAs(service: ServiceName): Promise<INestApplicationContext> {
  const { url, passwords } = testNats();
  const config = { url, user: service, password: passwords[service], service };
  return NestFactory.createApplicationContext(MessagingModule.forService({ config }), { logger: false });
}

/** Calls as another service makes them, as long as a test file runs. */
export function callerOfFile(service: ServiceName): Pick<Rpc, 'call'> {
  let context: INestApplicationContext;
  beforeAll(async () => {
    context = await connectedAs(service);
  });
  afterAll(() => context?.close());
  return { call: (...call) => context.get(Rpc).call(...call) };
}

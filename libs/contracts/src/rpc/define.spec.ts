import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { defineRpc } from './define.js';

const contract = {
  subject: 'rpc.identity.things.get',
  server: 'identity',
  callers: ['gateway'],
  request: Type.Object({}),
  response: Type.Object({}),
  timeoutMs: 1000,
} as const;

describe('a contract', () => {
  it('has a subject of its server', () => {
    expect(() => defineRpc({ ...contract, server: 'gateway', principal: 'service' })).toThrow('rpc.gateway.');
  });

  it('whose calls share messages is not called with tokens of users', () => {
    expect(() => defineRpc({ ...contract, principal: 'user', batched: true })).toThrow('cannot be batched');
    expect(defineRpc({ ...contract, principal: 'service', batched: true }).batched).toBe(true);
  });
});

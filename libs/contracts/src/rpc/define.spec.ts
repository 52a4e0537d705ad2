import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { defineRpc } from './define.js';

const contract = {
  subject: 'rpc.identity.things.get',
  callers: ['gateway'],
  request: Type.Object({}),
  response: Type.Object({}),
  timeoutMs: 1000,
} as const;

describe('a contract', () => {
  it('is served by the service that its subject names', () => {
    expect(defineRpc({ ...contract, principal: 'service' }).server).toBe('identity');
    const other = { ...contract, subject: 'rpc.other.things.get', principal: 'service' } as const;
    expect(() => defineRpc(other)).toThrow('names no service');
  });

  it('whose calls share messages is not called with tokens of users', () => {
    expect(() => defineRpc({ ...contract, principal: 'user', batched: true })).toThrow('cannot be batched');
    expect(defineRpc({ ...contract, principal: 'service', batched: true }).batched).toBe(true);
  });
});

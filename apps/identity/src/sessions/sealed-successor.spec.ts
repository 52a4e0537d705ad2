import { describe, expect, it } from '@jest/globals';
import { hashSecret, newSecret } from '../secret.js';
import { openSuccessor, sealSuccessor } from './refresh-token.repository.js';

describe('the sealed successor of a refresh token', () => {
  it('is opened with the token that it replaced', () => {
    const [token, successor] = [newSecret(), newSecret()];
    expect(openSuccessor(token, sealSuccessor(token, successor))).toBe(successor);
  });

  it('is opened neither with what the database has of the token nor with another token', () => {
    const [token, successor] = [newSecret(), newSecret()];
    const sealed = sealSuccessor(token, successor);
    for (const other of [newSecret(), hashSecret(token).toString('base64url'), hashSecret(token).toString('hex')]) {
      expect(() => openSuccessor(other, sealed)).toThrow();
    }
  });
});

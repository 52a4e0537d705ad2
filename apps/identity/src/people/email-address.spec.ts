import { describe, expect, it } from '@jest/globals';
import { normaliseEmail } from './email-address.js';

describe('normaliseEmail', () => {
  it.each([
    ['  Dev@Acme.TEST ', 'dev@acme.test'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['"odd@part"@acme.test', '"odd@part"@acme.test'],
    ['jose\u0301@acme.test', 'jos\u00e9@acme.test'],
  ])('turns %p into %p', (given, stored) => {
    expect(normaliseEmail(given)).toBe(stored);
  });
});

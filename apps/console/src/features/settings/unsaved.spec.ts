import { expect, it } from '@jest/globals';
import { unsaved } from './unsaved.js';

it('what is typed while the form is saved is kept, and what was saved is no change any more', () => {
  const sent = { name: 'Acme', country: null, currency: 'EUR' };
  const changed = { ...sent, name: 'Acme Works', language: 'de' };
  expect(unsaved(changed, sent)).toEqual({ name: 'Acme Works', language: 'de' });
});

import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy, embedPage } from './embed-page.js';

describe('the embed page', () => {
  it.each([
    [['https://host.example', 'https://b.example:8443'], 'https://host.example https://b.example:8443'],
    [[], "'none'"],
  ])('can be framed by the declared origins %j only, and has no inline script and style', (origins, ancestors) => {
    const policy = contentSecurityPolicy(origins, 'https://crm.example');
    for (const directive of [`frame-ancestors ${ancestors}`, "default-src 'none'", 'connect-src https://crm.example;'])
      expect(policy).toContain(directive);
    expect(policy).not.toContain('unsafe-inline');
  });

  it('escapes the settings in its attributes', () => {
    const page = embedPage('<!doctype html>\n<html lang="en">', ['https://a.example"><script>'], 'x');
    expect(page).not.toContain('"><script>');
    expect(page).toContain('<html data-origins="https://a.example&quot;>&lt;script>" data-api="x" lang="en">');
  });
});

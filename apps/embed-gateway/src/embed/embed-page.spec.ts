import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy, embedPage } from './embed-page.js';

describe('the embed page', () => {
  it('can be framed by the declared origins only', () => {
    const policy = contentSecurityPolicy(['https://host.example', 'https://b.example:8443'], 'https://crm.example');
    expect(policy).toContain('frame-ancestors https://host.example https://b.example:8443');
    expect(policy).toContain('connect-src https://crm.example;');
  });

  it('can be framed by nobody when no origin is declared, and has no inline script and style', () => {
    const policy = contentSecurityPolicy([], 'https://crm.example');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-inline');
  });

  it('escapes the settings in its attributes', () => {
    const page = embedPage('<!doctype html>\n<html lang="en">', ['https://a.example"><script>'], 'x');
    expect(page).not.toContain('"><script>');
    expect(page).toContain('<html data-origins="https://a.example&quot;>&lt;script>" data-api="x" lang="en">');
  });
});

import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy, embedPage } from './embed-page.js';

describe('the embed page', () => {
  it('can be framed by the declared origins only', () => {
    const policy = contentSecurityPolicy(['https://host.example', 'https://b.example:8443'], 'https://crm.example');
    expect(policy).toContain('frame-ancestors https://host.example https://b.example:8443');
    expect(policy).toContain('connect-src https://crm.example;');
  });

  it('can be framed by nobody when no origin is declared', () => {
    expect(contentSecurityPolicy([], 'https://crm.example')).toContain("frame-ancestors 'none'");
  });

  it('has no inline script and no inline style', () => {
    const policy = contentSecurityPolicy([], 'https://crm.example');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-inline');
    expect(embedPage([], 'https://crm.example')).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
  });

  it('escapes the settings in its attributes', () => {
    expect(embedPage(['https://a.example"><script>'], 'x')).not.toContain('"><script>');
  });
});

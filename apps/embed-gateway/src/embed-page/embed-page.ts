/**
 * Content-Security-Policy of the page. Only the app's declared origins may frame it; without origins, nobody.
 * @param origins canonical origins
 * @param apiOrigin the only address that the page may call, and send the token to
 */
export function contentSecurityPolicy(origins: readonly string[], apiOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length > 0 ? origins.join(' ') : "'none'"}`,
  ].join('; ');
}

/** The HTML of the page. Its settings are attributes of the script element, so that no inline script is needed. */
export function embedPage(origins: readonly string[], apiUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CRM</title>
<link rel="stylesheet" href="/embed/assets/page.css">
<script defer src="/embed/assets/page.js" data-origins="${attribute(origins.join(' '))}" data-api="${attribute(apiUrl)}"></script>
</head>
<body>
<main>
<h1>CRM</h1>
<p id="status" role="status">Waiting for the host page.</p>
<dl id="caller" hidden>
<dt>Name</dt><dd id="name"></dd>
<dt>E-mail</dt><dd id="email"></dd>
<dt>Workspace</dt><dd id="workspace"></dd>
</dl>
</main>
</body>
</html>
`;
}

/**
 * Accepts `{type: 'crm:embed-token', token}` from the framing page, if its origin is allowed, keeps the token in memory and
 * shows whose it is. Another message replaces the token: this is how the host renews it.
 */
export const PAGE_SCRIPT = `'use strict';
const { origins, api } = document.currentScript.dataset;
const allowed = new Set(origins.split(' ').filter(Boolean));
const show = (id, text) => { document.getElementById(id).textContent = text; };

async function showCaller(token) {
  const response = await fetch(api + '/api/auth/me', { headers: { authorization: 'Bearer ' + token } });
  if (!response.ok) throw new Error('The token was refused (' + response.status + ').');
  const caller = await response.json();
  show('name', caller.name);
  show('email', caller.email);
  show('workspace', caller.tenant.name);
  document.getElementById('caller').hidden = false;
  show('status', 'Signed in.');
}

window.addEventListener('message', (event) => {
  if (event.source !== window.parent || !allowed.has(event.origin)) return;
  const message = event.data;
  if (!message || message.type !== 'crm:embed-token' || typeof message.token !== 'string') return;
  showCaller(message.token).catch((error) => {
    document.getElementById('caller').hidden = true;
    show('status', error.message);
  });
});

if (window.parent !== window) {
  for (const origin of allowed) window.parent.postMessage({ type: 'crm:embed-ready' }, origin);
}
`;

export const PAGE_STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 0; padding: 1.5rem; color: #1d2433; background: #fff; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: #5a6375; }
dd { margin: 0; }
`;

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

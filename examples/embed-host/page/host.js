import { embed } from '/sdk/index.js';
import { settings } from '/settings.js';

const problem = document.getElementById('problem');
const scheme = document.getElementById('scheme');

const embedding = embed(document.getElementById('crm'), {
  ...settings,
  theme: { colorScheme: 'auto', colors: { accent: '#0b7a75' } },
  locale: navigator.language,
  // The deep link is the host's: it stands in the host's address, and holds no token.
  view: viewOf(location.hash),
  async fetchToken({ signal }) {
    const answer = await fetch('/crm-token', { method: 'POST', signal });
    if (!answer.ok) throw new Error(`The backend answered ${answer.status}`);
    return (await answer.json()).token;
  },
  onEvent(event) {
    if (event.type === 'ready') problem.textContent = '';
    if (event.type === 'error') problem.textContent = event.error.message;
    if (event.type === 'navigate') history.replaceState(null, '', hashOf(event.view));
  },
});

scheme.addEventListener('change', () => {
  embedding.setTheme({ colorScheme: scheme.value, colors: { accent: '#0b7a75' } });
});

function viewOf(hash) {
  const [object, recordId] = decodeURIComponent(hash.slice(1)).split('/');
  return object ? { object, recordId } : undefined;
}

function hashOf({ object, recordId }) {
  return `#${encodeURIComponent(recordId ? `${object}/${recordId}` : object)}`;
}

import '@crm/ui/styles.css';
import '@crm/records-ui/styles.css';
import './page.css';
import { applyTheme, languageOf, Notice } from '@crm/ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { connectHost } from './host-link/connect.js';
import { readSettings } from './settings.js';
import { TEXTS } from './texts.js';

const settings = readSettings(document.documentElement);
const root = document.getElementById('root') as HTMLElement;
// The system's colours until the host has said which; without them the first paint would be white in a dark host.
applyTheme(document.documentElement, {});

const host = connectHost(window, settings);
const { notFramed, notFramedText } = TEXTS[languageOf(navigator.language)];
createRoot(root).render(
  <StrictMode>
    {host ? (
      <App host={host} apiUrl={settings.apiUrl} root={root} />
    ) : (
      <Notice kind="info" title={notFramed}>
        {notFramedText}
      </Notice>
    )}
  </StrictMode>,
);

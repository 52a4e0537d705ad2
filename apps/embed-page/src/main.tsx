import '@crm/ui/kit.css';
import '@crm/records-ui/styles.css';
import './page.css';
import { EmptyNotice, Kit, languageOf, shareNonce } from '@crm/ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { connectHost } from './host-link/connect.js';
import { readSettings } from './settings.js';
import { TEXTS } from './texts.js';

const settings = readSettings(document.documentElement);
const root = document.getElementById('root') as HTMLElement;
shareNonce();

const host = connectHost(window, settings);
const { notFramed, notFramedText } = TEXTS[languageOf(navigator.language)];
createRoot(root).render(
  <StrictMode>
    {host ? (
      <App host={host} apiUrl={settings.apiUrl} root={root} />
    ) : (
      <Kit>
        <EmptyNotice title={notFramed} text={notFramedText} />
      </Kit>
    )}
  </StrictMode>,
);

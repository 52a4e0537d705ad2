import { createFrame, fitFrame, HostSession } from './host-session.js';
import { checkOptions, EmbedError, type EmbedEvent, type EmbedOptions } from './options.js';
import {
  type EmbedTheme,
  type EmbedView,
  inEnvelope,
  parseLocale,
  parseTheme,
  parseView,
} from './protocol/messages.js';

/** An embedding that is shown. */
export interface Embedding {
  readonly frame: HTMLIFrameElement;
  /** Shows a list or record. @throws EmbedError `invalid_options` */
  navigate(view: EmbedView): void;
  /** Replaces the theme. @throws EmbedError `invalid_options` */
  setTheme(theme: EmbedTheme): void;
  /** @throws EmbedError `invalid_options` */
  setLocale(locale: string): void;
  /** Removes the frame; the page forgets its token before. Can be called twice. */
  destroy(): void;
}

/**
 * Shows the CRM in an element of the host's page. Both sides check window and origin of every message, and the token goes
 * from `fetchToken` to the page without touching an address or a storage.
 * @throws EmbedError `invalid_options`; everything later is reported to `onEvent`
 */
export function embed(element: HTMLElement, options: EmbedOptions): Embedding {
  const checked = checkOptions(options);
  const document = element.ownerDocument;
  const window = document.defaultView;
  if (!window) throw new EmbedError('invalid_options', "The element isn't attached to the document");
  const frame = createFrame(document, checked);
  const locale = checked.locale ?? (parseLocale(document.documentElement.lang) || undefined);

  const emit = (event: EmbedEvent): void => {
    if (event.type === 'resize' && checked.autoHeight !== false) fitFrame(frame, event.height);
    checked.onEvent?.(event);
  };
  const session = new HostSession(
    { ...checked, locale },
    { post: (message) => frame.contentWindow?.postMessage(inEnvelope(message), checked.origin), emit },
  );
  const listen = (event: MessageEvent): void => {
    if (event.source === frame.contentWindow && event.origin === checked.origin) session.receive(event.data);
  };
  window.addEventListener('message', listen);
  element.append(frame);

  return {
    frame,
    navigate: (view) => session.navigate(checkedPart(parseView(view), 'Invalid view: not a list or record')),
    setTheme: (theme) => session.setTheme(checkedPart(parseTheme(theme), 'Invalid theme: a value is out of range')),
    setLocale: (tag) =>
      session.setLocale(checkedPart(parseLocale(tag), 'Invalid locale: not a BCP 47 tag, such as en-US')),
    destroy: () => {
      session.destroy();
      window.removeEventListener('message', listen);
      frame.remove();
    },
  };
}

function checkedPart<Value>(value: Value | undefined, problem: string): Value {
  if (value === undefined) throw new EmbedError('invalid_options', problem);
  return value;
}

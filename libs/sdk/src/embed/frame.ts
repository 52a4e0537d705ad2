import type { CheckedOptions } from './options.js';

/** The frame is never lower than this, so that what is loading or empty has room; in pixels. */
const MIN_HEIGHT = 320;
/** A page that claims to be higher scrolls inside the frame. */
const MAX_HEIGHT = 20_000;

/**
 * The frame of the embed page. It may run scripts under its own origin and show forms; it may not open windows or navigate the
 * host's page.
 */
export function createFrame(document: Document, { pageUrl, title = 'CRM' }: CheckedOptions): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  frame.style.border = '0';
  frame.style.display = 'block';
  frame.style.width = '100%';
  // A frame is transparent only if both documents have the same colour scheme; the page paints its own background.
  frame.style.colorScheme = 'normal';
  frame.style.height = `${MIN_HEIGHT}px`;
  frame.src = pageUrl;
  return frame;
}

/** @param height of the content in pixels */
export function fitFrame(frame: HTMLIFrameElement, height: number): void {
  frame.style.height = `${Math.min(Math.max(Math.ceil(height), MIN_HEIGHT), MAX_HEIGHT)}px`;
}

import { type CSSProperties, createElement, type ReactElement, useEffect, useRef } from 'react';
import { type Embedding, embed } from '../embed.js';
import type { EmbedOptions } from '../options.js';

export interface CrmEmbedProps extends EmbedOptions {
  readonly className?: string;
  readonly style?: CSSProperties;
}

/**
 * The CRM as a component. Another `clientId`, `embedUrl`, `title` or `autoHeight` loads the page again; `view`, `theme` and
 * `locale` are passed on to it, and `fetchToken` and `onEvent` can be new functions with every rendering.
 */
export function CrmEmbed({ className, style, ...options }: CrmEmbedProps): ReactElement {
  const { clientId, embedUrl, title, autoHeight, view, theme, locale } = options;
  const element = useRef<HTMLDivElement>(null);
  const embedding = useRef<Embedding>(null);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });

  useEffect(() => {
    const shown = embed(element.current as HTMLDivElement, {
      ...latest.current,
      ...{ clientId, embedUrl, title, autoHeight },
      fetchToken: (request) => latest.current.fetchToken(request),
      onEvent: (event) => latest.current.onEvent?.(event),
    });
    embedding.current = shown;
    return () => {
      embedding.current = null;
      shown.destroy();
    };
  }, [clientId, embedUrl, title, autoHeight]);

  useChange(view, (changed) => embedding.current?.navigate(changed));
  useChange(theme, (changed) => embedding.current?.setTheme(changed));
  useChange(locale, (changed) => embedding.current?.setLocale(changed));
  return createElement('div', { ref: element, className, style });
}

/** Applies a value that differs from the one of the first rendering, which `embed` was given. Compared by content. */
function useChange<Value>(value: Value | undefined, apply: (value: Value) => void): void {
  const text = JSON.stringify(value);
  const applied = useRef(text);
  useEffect(() => {
    if (text === undefined || text === applied.current) return;
    applied.current = text;
    apply(JSON.parse(text) as Value);
  });
}

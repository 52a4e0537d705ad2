import { Button, Loading, Notice, useTexts } from '@crm/ui';
import type { ReactNode } from 'react';
import type { SessionState } from '../host-link/session.js';
import { TEXTS } from '../texts.js';

export interface SessionGateProps {
  readonly state: SessionState;
  readonly onRetry: () => void;
  /** Shown while there is a token, and nothing of it afterwards. */
  readonly children: ReactNode;
}

export function SessionGate({ state, onRetry, children }: SessionGateProps) {
  const texts = useTexts(TEXTS);
  const retry = <Button onClick={onRetry}>{texts.retry}</Button>;
  switch (state) {
    case 'active':
      return children;
    case 'waiting':
      return <Loading label={texts.connecting} />;
    case 'not-delivered':
      return (
        <Notice kind="error" title={texts.notDelivered} action={retry}>
          {texts.notDeliveredText}
        </Notice>
      );
    case 'ended':
      return (
        <Notice kind="error" title={texts.ended} action={retry}>
          {texts.endedText}
        </Notice>
      );
    case 'destroyed':
      return <Notice kind="info" title={texts.destroyed} />;
  }
}

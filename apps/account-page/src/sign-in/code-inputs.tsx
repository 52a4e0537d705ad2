import { Button, useTexts } from '@crm/ui';
import encodeQR from 'qr';
import { useMemo, useState } from 'react';
import { TextInput } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

export interface CodeInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Six digits; some apps show them in two groups, and that is how they are copied. */
export function DigitsInput({ value, onChange }: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      label={texts.code}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*(\d\s*){6}"
      title={texts.code}
      maxLength={16}
      value={value}
      onChange={onChange}
    />
  );
}

export function RecoveryCodeInput({ value, onChange }: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      label={texts.recoveryCode}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
      value={value}
      onChange={onChange}
    />
  );
}

/** Modules around the code that scanners need to find it. */
const QUIET_ZONE = 4;

/** Dark on light in dark mode too: not every scanner reads the reverse. */
export default function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => pathOf(text), [text]);
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} fill="#000" />
    </svg>
  );
}

function pathOf(text: string): { readonly size: number; readonly path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size: rows.length, path };
}

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** The sign-in is complete by now; it goes on when somebody says that they have the codes. */
export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [outcome, setOutcome] = useState<string>();
  const copy = (): void => {
    navigator.clipboard.writeText(codes.join('\n')).then(
      () => setOutcome(texts.copied),
      // A browser may refuse it; the codes can still be marked and copied.
      () => setOutcome(texts.notCopied),
    );
  };
  return (
    <Page title={texts.codesTitle}>
      <p>{texts.codesText}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Button onClick={copy}>{texts.copy}</Button>
      <p role="status" className="muted">
        {outcome}
      </p>
      <Button look="primary" onClick={onKept}>
        {texts.kept}
      </Button>
    </Page>
  );
}

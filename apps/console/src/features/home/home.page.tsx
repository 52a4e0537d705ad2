import { useRecords } from '@crm/records-ui';
import { EmptyNotice, useTexts } from '@crm/ui';
import { Navigate } from '@tanstack/react-router';
import { SHELL_TEXTS } from '../shell/shell.texts.js';

/** The start of a day: the first list that somebody sees. */
export default function HomePage() {
  const texts = useTexts(SHELL_TEXTS);
  const [first] = useRecords().objects;
  if (!first) return <EmptyNotice title={texts.nothing} text={texts.nothingText} />;
  return <Navigate to="/records/$object" params={{ object: first.apiName }} replace />;
}

import { RECORD_TEXTS, RecordLink, useRecords } from '@crm/records-ui';
import { useTexts } from '@crm/ui';
import { Alert, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ACTION_TEXTS } from '../actions.texts.js';
import type { Hit } from '../duplicates.js';

/** Says what may be there already, and leads there; it forbids nothing. */
export function Duplicates({ hits }: { readonly hits: readonly Hit[] }) {
  const texts = useTexts(ACTION_TEXTS);
  const { untitled } = useTexts(RECORD_TEXTS);
  const { objects } = useRecords();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    notice.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Alert ref={notice} role="status" title={texts.likely(hits.length)}>
      {hits.map(({ object, id, title, matched }) => {
        const model = objects.find(({ apiName }) => apiName === object);
        return model ? (
          <Text key={id} size="sm">
            <RecordLink model={model} id={id}>
              {title || untitled}
            </RecordLink>{' '}
            <Text span size="xs" c="dimmed">
              {model.label}
              {matched.value === title ? '' : ` · ${matched.value}`}
            </Text>
          </Text>
        ) : null;
      })}
    </Alert>
  );
}

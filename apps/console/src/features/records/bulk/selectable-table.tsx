import type { CrmRecord } from '@crm/api-client';
import { type LeadColumn, titleOf, VirtualTable, type VirtualTableProps } from '@crm/records-ui';
import { useTexts } from '@crm/ui';
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { BULK_TEXTS } from './bulk.texts.js';
import { BulkActions } from './bulk-actions.js';

/** So many can be selected. */
const MOST = 1_000;

interface Selection {
  readonly selected: ReadonlySet<string>;
  /** @param isRange whether all from the one that was chosen last are meant */
  readonly toggle: (record: CrmRecord, isRange: boolean) => void;
}

const SelectionContext = createContext<Selection>({ selected: new Set(), toggle: () => undefined });

/** A table whose rows can be selected, with what can be done to them above it. */
export default function SelectableTable(props: VirtualTableProps) {
  const { model, records, total, onEnd } = props;
  const texts = useTexts(BULK_TEXTS);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [wantsAll, setWantsAll] = useState(false);
  const last = useRef<string>(undefined);
  const latest = useRef(records);
  latest.current = records;

  const toggle = useCallback((record: CrmRecord, isRange: boolean) => {
    const all = latest.current;
    const index = all.findIndex(({ id }) => id === record.id);
    const from = isRange ? all.findIndex(({ id }) => id === last.current) : -1;
    const range = from < 0 ? [record] : all.slice(Math.min(from, index), Math.max(from, index) + 1);
    last.current = record.id;
    setSelected((present) => {
      const next = new Set(present);
      const isChosen = !present.has(record.id);
      for (const { id } of range) {
        if (!isChosen) next.delete(id);
        else if (next.size < MOST) next.add(id);
      }
      return next;
    });
  }, []);
  // All are selected as they are loaded, page after page.
  useEffect(() => {
    if (!wantsAll) return;
    setSelected(new Set(records.slice(0, MOST).map(({ id }) => id)));
    if (records.length >= Math.min(total ?? MOST, MOST)) setWantsAll(false);
    else onEnd?.();
  }, [wantsAll, records, total, onEnd]);
  const chosen = useMemo(() => records.filter(({ id }) => selected.has(id)), [records, selected]);
  const selection = useMemo(() => ({ selected, toggle }), [selected, toggle]);
  const lead = useMemo<LeadColumn>(
    () => ({
      id: 'lead',
      header: texts.column,
      cell: ({ row: { original } }) => <RowCheckbox record={original} name={titleOf(model, original)} />,
    }),
    [model, texts.column],
  );
  const clear = (): void => {
    setWantsAll(false);
    setSelected(new Set());
  };
  return (
    <SelectionContext value={selection}>
      <Stack h="100%" gap={0}>
        <Group component="section" aria-label={texts.bar} gap="xs" px="sm" py={6} mih={46} className="selection-bar">
          <Text size="sm" fw={600} aria-live="polite">
            {wantsAll ? texts.finding(records.length) : texts.selected(chosen.length)}
          </Text>
          <Button
            size="compact-sm"
            variant="subtle"
            loading={wantsAll}
            title={texts.atMost(MOST)}
            onClick={() => setWantsAll(true)}
          >
            {texts.all(total === undefined ? undefined : Math.min(total, MOST))}
          </Button>
          {chosen.length > 0 ? (
            <>
              <Button size="compact-sm" variant="subtle" onClick={clear}>
                {texts.none}
              </Button>
              <BulkActions model={model} records={chosen} onDeleted={clear} />
            </>
          ) : null}
        </Group>
        <div className="selection-table">
          <VirtualTable {...props} lead={lead} />
        </div>
      </Stack>
    </SelectionContext>
  );
}

function RowCheckbox({ record, name }: { readonly record: CrmRecord; readonly name: string }) {
  const texts = useTexts(BULK_TEXTS);
  const { selected, toggle } = useContext(SelectionContext);
  return (
    <Checkbox
      size="xs"
      aria-label={texts.choose(name)}
      checked={selected.has(record.id)}
      // A key press is a click, too.
      onChange={({ nativeEvent }) => toggle(record, (nativeEvent as unknown as MouseEvent).shiftKey)}
    />
  );
}

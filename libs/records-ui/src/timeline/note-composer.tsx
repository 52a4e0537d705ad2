import { ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { ObjectModel } from '../objects/object-model.js';
import { type NewNote, useAddNote } from './timeline.queries.js';
import { TIMELINE_TEXTS } from './timeline.texts.js';

/** The limit of the API. */
export const LONGEST_NOTE = 10_000;
const KINDS = ['note', 'call', 'meeting', 'email'] as const;

interface Draft {
  readonly kind: NewNote['kind'];
  readonly text: string;
  readonly at: string;
  /** What was sent last, and its key: only another note has another one. */
  readonly sent: { readonly body: string; readonly key: string };
}
const EMPTY: Draft = { kind: 'note', text: '', at: '', sent: { body: '', key: '' } };
/** What is not sent, by record: it is there again when the record is. */
const drafts = new Map<string, Draft>();

/** Sends what is typed with Ctrl or Cmd and Enter. */
export const onSend =
  (send: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };

/** Writes a note. What was typed stays through every refusal. */
export function NoteComposer({ model, id }: { readonly model: ObjectModel; readonly id: string }) {
  const texts = useTexts(TIMELINE_TEXTS);
  const place = `${model.name}/${id}`;
  const [draft, setDraft] = useState(drafts.get(place) ?? EMPTY);
  const { kind, text, at } = draft;
  const change = (some: Partial<Draft>): void => {
    const next = { ...draft, ...some };
    drafts.set(place, next);
    setDraft(next);
  };
  const { mutateAsync, error, isPending } = useAddNote(model.name, id);
  const isEmpty = text.trim() === '';
  const send = async (): Promise<void> => {
    if (isEmpty || isPending) return;
    const moment = at === '' || kind === 'note' ? {} : { at: new Date(at).toISOString() };
    const note = { kind, text, ...moment };
    const body = JSON.stringify(note);
    const sent = body === draft.sent.body ? draft.sent : { body, key: crypto.randomUUID() };
    change({ sent });
    const empty = (): void => {
      // What was typed meanwhile is not sent.
      if (drafts.get(place)?.text !== text) return;
      drafts.delete(place);
      setDraft({ ...EMPTY, kind });
    };
    // The mutation keeps its error, which is shown below.
    await mutateAsync({ ...note, key: sent.key }).then(empty, () => undefined);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form className="note-composer" onSubmit={onSubmit}>
      <SegmentedControl
        fullWidth
        size="xs"
        transitionDuration={0}
        aria-label={texts.kindOfNote}
        value={kind}
        onChange={(value) => change({ kind: value })}
        data={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
      />
      <Textarea
        aria-label={texts.noteText}
        placeholder={texts.placeholder}
        autosize
        minRows={2}
        maxRows={12}
        maxLength={LONGEST_NOTE}
        value={text}
        onChange={({ currentTarget }) => change({ text: currentTarget.value })}
        onKeyDown={onSend(() => void send())}
      />
      {error ? <ProblemNotice problem={error} /> : null}
      <Group gap="xs" justify="end">
        {kind === 'note' ? null : (
          <TextInput
            type="datetime-local"
            size="xs"
            mr="auto"
            aria-label={texts.when}
            value={at}
            onChange={({ currentTarget }) => change({ at: currentTarget.value })}
          />
        )}
        <Button type="submit" size="xs" disabled={isEmpty} loading={isPending}>
          {texts.add}
        </Button>
      </Group>
    </form>
  );
}

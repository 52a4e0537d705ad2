import { type EntryKind, type NoteView, type ObjectName, TimelineApi } from '@crm/api-client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { TIMELINES } from '../data/record-cache.js';
import { useRecords } from '../data/records-context.js';

function useTimelineApi(): TimelineApi {
  const { api } = useRecords();
  return useMemo(() => new TimelineApi(api.client), [api]);
}

/** What happened to a record, the newest first. @param kinds all of none */
export function useTimeline(object: ObjectName, id: string, kinds: readonly EntryKind[]) {
  const api = useTimelineApi();
  return useInfiniteQuery({
    queryKey: [...TIMELINES, object, id, kinds],
    queryFn: ({ pageParam, signal }) => api.list(object, id, kinds, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (previous) => previous,
  });
}

/** A write of a note, after which the timelines are asked again. */
function useNoteWrite<Input>(write: (api: TimelineApi, input: Input) => Promise<void>) {
  const api = useTimelineApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => write(api, input),
    // Also of one that someone else has changed.
    onSettled: () => client.invalidateQueries({ queryKey: TIMELINES }),
  });
}

export interface NewNote {
  readonly kind: NoteView['kind'];
  readonly text: string;
  readonly at?: string;
  /** The same for every attempt. */
  readonly key: string;
}

export const useAddNote = (object: ObjectName, id: string) =>
  useNoteWrite((api, { key, ...note }: NewNote) => api.addNote(object, id, note, key));

export const useChangeNote = () =>
  useNoteWrite((api, { note, text }: { note: NoteView; text: string }) => api.changeNote(note, text));

export const useDeleteNote = () => useNoteWrite((api, note: NoteView) => api.deleteNote(note));

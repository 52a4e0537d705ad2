import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { Describe, entityTag, IdParam } from '@crm/http';
import { Body, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { NoteInput, NotePageView, NoteView, PageQuery } from '../timeline/note.dto.js';
import { NoteService } from '../timeline/note.service.js';
import { HistoryView, TimelineQuery, TimelineView } from '../timeline/timeline.dto.js';
import { TimelineService } from '../timeline/timeline.service.js';
import type { Reply } from './record.dto.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

function timelineController({ scope, ObjectName, pathOf }: RecordRoutes) {
  const read = { right: 'read', scope } as const;

  class RoutesOfTimelines {
    constructor(
      @Inject(TimelineService) readonly timelines: TimelineService,
      @Inject(NoteService) readonly notes: NoteService,
    ) {}

    @Get(':id/history')
    @Access(read)
    @Describe({
      summary: 'List the changes of a record',
      description:
        "Who changed which field, with old and new values, newest first; the last entry is the creation. Fields that the caller can't read are left out, and so are changes of only such fields. Changes are kept for a year.",
      answers: [{ status: 200, description: 'The changes', body: () => HistoryView }],
    })
    history(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Query() query: PageQuery,
    ): Promise<HistoryView> {
      return this.timelines.history(principal, apiName, id, query);
    }

    @Get(':id/timeline')
    @Access(read)
    @Describe({
      summary: 'List the timeline of a record',
      description: 'Notes, changes, related tasks, and the creation, newest first. Tasks require the scope `tasks`.',
      answers: [{ status: 200, description: 'What happened', body: () => TimelineView }],
    })
    timeline(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Query() query: TimelineQuery,
    ): Promise<TimelineView> {
      return this.timelines.timeline(principal, apiName, id, query);
    }

    @Get(':id/notes')
    @Access(read)
    @Describe({
      summary: 'List the notes of a record',
      description: 'By when they happened, newest first. Anyone who can read the record can read its notes.',
      answers: [{ status: 200, description: 'The notes', body: () => NotePageView }],
    })
    listNotes(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Query() query: PageQuery,
    ): Promise<NotePageView> {
      return this.notes.list(principal, apiName, id, query);
    }

    @Post(':id/notes')
    @Access({ right: 'write', scope })
    @Describe({
      summary: 'Add a note to a record',
      description:
        "Anyone who can write the record can add notes. The record doesn't change, and no event is published.",
      answers: [{ status: 201, description: 'The note', body: () => NoteView }],
    })
    async createNote(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Body() input: NoteInput,
      @IdempotencyKey() key: string | undefined,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<NoteView> {
      const call = headerCall(principal, `POST /${pathOf(apiName)}/${id}/notes`, key, input);
      const note = await this.notes.create(principal, apiName, id, input, call);
      reply.header('etag', entityTag(note.version));
      return note;
    }
  }

  return RoutesOfTimelines;
}

export const timelineControllers = controllersOf('Timeline', timelineController);

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
      summary: 'Lists the changes of a record',
      description:
        'Who changed which field from what to what, the newest first; the last is the creation. Fields that the caller cannot read are left out, and so are changes of nothing else. Changes are kept for a year.',
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
      summary: 'Lists what happened to a record',
      description:
        'Notes, changes, the tasks that relate to it and its creation, the newest first. Tasks are there for callers with the scope `tasks`.',
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
      summary: 'Lists the notes of a record',
      description: 'By when it happened, the newest first. Who can read the record reads its notes.',
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
      summary: 'Adds a note to a record',
      description: 'Who can write the record adds notes. The record stays as it is, and nothing is published.',
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

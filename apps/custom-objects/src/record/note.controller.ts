import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, type ExpectedVersions, entityTag, IdParam, IfMatch } from '@crm/http';
import { Body, Controller, Delete, Patch, Res } from '@nestjs/common';
import { ChangeNoteInput, NoteView } from '../timeline/note.dto.js';
import { NoteService } from '../timeline/note.service.js';
import type { Reply } from './record.dto.js';

@ApiGroup({ name: 'Notes', description: 'What people note about records: calls, meetings, mails and anything else.' })
@Controller('api/crm/notes')
// The scope depends on the object of the record: the service requires it.
@Access({ right: 'write', embed: true, app: true, key: true })
export class NoteController {
  constructor(private readonly notes: NoteService) {}

  @Patch(':id')
  @Describe({
    summary: 'Changes a note',
    description: 'Its author or an administrator changes it. What is left out stays as it is.',
    answers: [{ status: 200, description: 'The note', body: () => NoteView }],
    errors: ['INSUFFICIENT_SCOPE', 'FORBIDDEN'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ChangeNoteInput,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<NoteView> {
    const note = await this.notes.change(principal, id, input, expected);
    reply.header('etag', entityTag(note.version));
    return note;
  }

  @Delete(':id')
  @Describe({
    summary: 'Deletes a note',
    description: 'For good. Its author or an administrator deletes it.',
    answers: [{ status: 204, description: 'The note is deleted' }],
    errors: ['INSUFFICIENT_SCOPE', 'FORBIDDEN'],
  })
  delete(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<void> {
    return this.notes.delete(principal, id, expected);
  }
}

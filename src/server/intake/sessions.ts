// Sessions in the store, within the caller's reach.

import { newId } from "../../core/ids.ts";
import { isId } from "../../core/records/tenancy.ts";
import { demandProject, noSuchProject, type ProjectScopePorts } from "../../http/v1/project-scope.ts";
import type { HostedSessionPorts } from "../../http/v1/sessions.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { endSession, findSession, startSession } from "../../store/postgres/sessions.ts";
import { storableText } from "../../text/storable.ts";
import { cleanObject, keyOf } from "./new-event.ts";

interface SessionDeps {
  app: Connections;
  projects: ProjectScopePorts;
}

export function createSessions({ app, projects }: SessionDeps): HostedSessionPorts {
  return {
    async start(caller, body) {
      const scope = await demandProject(caller, body.projectId, projects);
      const started = await startSession(app, {
        ...scope,
        id: newId(),
        // A random name for a session without one.
        content_session_id: keyOf(body.contentSessionId ?? body.externalSessionId) ?? newId(),
        platform_source: textOf(body.platformSource) ?? "",
        agent_id: textOf(body.agentId),
        agent_type: textOf(body.agentType),
        title: textOf(body.title),
        metadata: cleanObject(body.metadata ?? {}),
      });
      if (started === undefined) throw noSuchProject();
      return started;
    },
    async find(caller, id) {
      return isId(id) ? findSession(app, caller, id) : undefined;
    },
    async end(caller, id) {
      return isId(id) ? endSession(app, caller, id, newId()) : undefined;
    },
  };
}

function textOf(text: string | undefined): string | null {
  return text === undefined ? null : cleanText(storableText(text));
}

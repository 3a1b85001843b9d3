// The version on the Status page; in a git checkout its branch, and the update after a question.
import { useState } from "preact/hooks";
import { counted } from "../../text/quantities.ts";
import { type Loaded, Shown } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { Command } from "../parts/command.tsx";
import { useViewer } from "../viewer.ts";

type Branch = Reads["/api/branch/status"];

export function VersionSection({ loaded }: { loaded: Loaded<Branch> }) {
  const [next, setNext] = useState<string | null>(null);
  return (
    <section class="panel version" aria-labelledby="version-title">
      <h2 id="version-title" class="panel-row">
        Version
      </h2>
      <div class="panel-row">
        <Shown of={loaded}>
          {(branch) => (
            <>
              <p>{inWords(branch)}</p>
              <p>
                {branch.installed === "checkout" ? "Update in a terminal: " : "Update: "}
                <Command text={branch.update} />
              </p>
              {branch.remote !== null && branch.behind > 0 && (
                <Update
                  branch={branch}
                  onUpdated={(command) => {
                    setNext(command);
                    loaded.reload();
                  }}
                />
              )}
              {next !== null && (
                <p>
                  To use the new code: <Command text={next} />
                </p>
              )}
            </>
          )}
        </Shown>
      </div>
    </section>
  );
}

function inWords({ installed, version, current, remote, ahead, behind }: Branch): string {
  if (installed === "package") return `mem ${version}, from a package.`;
  const checkout = `mem ${version}, from a git checkout`;
  if (current === null) return `${checkout} without a branch.`;
  if (remote === null) return `${checkout} on ${current}, which follows no remote branch.`;
  const distance = [
    ...(ahead > 0 ? [`${counted(ahead, "commit")} ahead of`] : []),
    ...(behind > 0 ? [`${counted(behind, "commit")} behind`] : []),
  ];
  return `${checkout} on ${current}, ${distance.join(" and ") || "level with"} ${remote}.`;
}

function Update({ branch, onUpdated }: { branch: Branch; onUpdated: (next: string | null) => void }) {
  const viewer = useViewer();
  const [isAsking, setIsAsking] = useState(false);
  async function update(): Promise<void> {
    setIsAsking(false);
    await viewer.act(async () => {
      const answer = await viewer.api.post("/api/branch/update", {});
      onUpdated(answer.next);
      return { text: answer.updated ? "The checkout is updated." : "The checkout was up to date." };
    });
  }
  if (!isAsking)
    return (
      <button type="button" onClick={() => setIsAsking(true)}>
        Update…
      </button>
    );
  return (
    <div class="buttons">
      <span>
        Move {branch.current} forward by {counted(branch.behind, "commit")} of {branch.remote}?
      </span>
      <button type="button" onClick={() => void update()}>
        Update
      </button>
      <button type="button" onClick={() => setIsAsking(false)}>
        Cancel
      </button>
    </div>
  );
}

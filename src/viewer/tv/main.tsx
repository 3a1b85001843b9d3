// Entry of the TV: the newest observations, large, for a screen that is only looked at.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { createApi } from "../api.ts";
import { eventLine, type Line, mergeLines, observationLine } from "../lines.ts";
import { Age, TypeBadge } from "../parts/record-row.tsx";
import { createStream } from "../stream.ts";
import "../looks/looks.css";

const shown = 12;

function Tv() {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    const add = (fresh: readonly Line[]) => setLines((before) => mergeLines(before, fresh).slice(0, shown));
    const stream = createStream("/stream");
    async function read(): Promise<void> {
      const { items } = await createApi().get("/api/observations", { limit: shown });
      add(items.map(observationLine));
    }
    void read();
    stream.onResync(() => void read());
    stream.listen((event) => {
      const line = event.type === "observation_created" ? eventLine(event) : undefined;
      if (line !== undefined) add([line]);
    });
    return stream.close;
  }, []);
  return (
    <ol class="tv">
      {lines.map(({ key, type, title, project, at }) => (
        <li key={key}>
          <TypeBadge type={type} /> {title} <span class="project">{project}</span> <Age at={at} />
        </li>
      ))}
    </ol>
  );
}

const place = document.getElementById("app");
if (place !== null) render(<Tv />, place);

// A small bar chart by day, with the same numbers as a table for readers that see no picture.
import { counted } from "../../text/quantities.ts";

interface Bar {
  /** `2026-01-31`. */
  day: string;
  values: readonly number[];
}

interface ChartProps {
  title: string;
  /** Names of the values of a bar, from the bottom up. */
  series: readonly string[];
  bars: readonly Bar[];
  /** Singular noun of the values, for the texts: `record`. */
  unit: string;
}

const width = 600;
const height = 96;
const gap = 0.2;

export function DayChart({ title, series, bars, unit }: ChartProps) {
  const totals = bars.map(({ values }) => sum(values));
  const highest = Math.max(1, ...totals);
  const step = width / Math.max(1, bars.length);
  const all = sum(totals);
  const [first, last] = [bars[0]?.day, bars.at(-1)?.day];
  const label = `${title}: ${counted(all, unit)} from ${first} to ${last}, at most ${counted(Math.max(0, ...totals), unit)} a day.`;
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <strong>{all.toLocaleString("en")}</strong>
        <span class="legend">
          {(series.length > 1 ? series : []).map((name, at) => (
            <span key={name}>
              <i class={`swatch series-${at}`} aria-hidden="true" />
              {name} {sum(bars.map(({ values }) => values[at] ?? 0)).toLocaleString("en")}
            </span>
          ))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="chart-base" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
        {bars.map((bar, at) => (
          <StackedBar
            key={bar.day}
            bar={bar}
            x={(at + gap / 2) * step}
            width={step * (1 - gap)}
            scale={(height - 4) / highest}
            series={series}
          />
        ))}
      </svg>
      <div class="chart-ends" aria-hidden="true">
        <span>{first}</span>
        <span>{all === 0 ? "nothing" : `most ${highest.toLocaleString("en")}`}</span>
        <span>{last}</span>
      </div>
      <details>
        <summary>Numbers</summary>
        <ChartTable title={title} series={series} bars={bars.filter(({ values }) => sum(values) > 0)} />
      </details>
    </figure>
  );
}

interface StackedBarProps {
  bar: Bar;
  x: number;
  width: number;
  /** Pixels of one unit. */
  scale: number;
  series: readonly string[];
}

function StackedBar({ bar, x, width: barWidth, scale, series }: StackedBarProps) {
  let top = height;
  return (
    <g>
      <title>{`${bar.day}: ${series.map((name, at) => `${name} ${(bar.values[at] ?? 0).toLocaleString("en")}`).join(", ")}`}</title>
      {bar.values.map((value, at) => {
        // A value that is there is seen.
        const tall = value === 0 ? 0 : Math.max(2, value * scale);
        top -= tall;
        return <rect key={series[at]} class={`series-${at}`} x={x} y={top} width={barWidth} height={tall} />;
      })}
    </g>
  );
}

function ChartTable({ title, series, bars }: Pick<ChartProps, "title" | "series" | "bars">) {
  if (bars.length === 0) return <p class="quiet">Nothing in this time.</p>;
  return (
    <table>
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {series.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map(({ day, values }) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {series.map((name, at) => (
              <td key={name}>{(values[at] ?? 0).toLocaleString("en")}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

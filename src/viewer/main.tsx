// Entry of the viewer's page.
import { render } from "preact";
import { App } from "./app.tsx";
import { showPlainText } from "./directions.ts";
import { listenToKeys } from "./keys.ts";
import "./looks/looks.css";
import { applyTheme } from "./parts/theme.tsx";
import { createViewer, ViewerContext } from "./viewer.ts";

applyTheme();
showPlainText();
const place = document.getElementById("app");
if (place !== null) {
  listenToKeys();
  render(
    <ViewerContext.Provider value={createViewer()}>
      <App />
    </ViewerContext.Provider>,
    place,
  );
}

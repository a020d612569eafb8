/** Our own page: Stately's current inspector in a frame, fed from here, and the way to the older one. */
export function inspectorPage(url: string): string {
  const { host } = new URL(url);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Offstage, inspected</title>
<style>
  html, body { height: 100%; margin: 0; font: 14px system-ui, sans-serif; }
  body { display: grid; grid-template-rows: auto 1fr; }
  p { margin: 0.5em 1em; }
  iframe { width: 100%; height: 100%; border: 0; }
</style>
<p>Stately's current inspector shows below what happens. With the
<a href="https://statecharts.io/inspect?server=${host}">older one</a> you can also send events.</p>
<iframe id="inspector" src="https://stately.ai/inspect" title="Stately Inspector"></iframe>
<script>
  const frame = document.getElementById('inspector');
  const waiting = [];
  let isReady = false;
  const show = (event) => frame.contentWindow.postMessage(event, 'https://stately.ai');
  addEventListener('message', ({ data, origin }) => {
    if (origin !== 'https://stately.ai' || data?.type !== '@statelyai.connected') return;
    isReady = true;
    waiting.splice(0).forEach(show);
  });
  new WebSocket('ws://${host}/events').onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (isReady) show(event);
    else waiting.push(event);
  };
</script>
</html>
`;
}

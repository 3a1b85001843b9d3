// A migration is imported as its text (esbuild's text loader; a small plugin does the same in tests).
declare module "*.sql" {
  const text: string;
  export default text;
}

import { defineConfig } from 'vite';

// One file: script and style go into the page, which then needs nothing else.
const inline = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = Object.values(bundle).find((file) => file.fileName === 'index.html');
    for (const file of Object.values(bundle)) {
      if (file === page) continue;
      if (file.type === 'chunk') {
        const code = file.code.replaceAll('</script', '<\\/script');
        page.source = page.source.replace(/<script type="module"[^>]*><\/script>\s*/, '');
        page.source = page.source.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
      } else {
        page.source = page.source.replace(/<link rel="stylesheet"[^>]*>\s*/, () => `<style>${file.source}</style>\n`);
      }
      delete bundle[file.fileName];
    }
  },
};

export default defineConfig({
  plugins: [inline],
  build: { modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1 << 20 },
});

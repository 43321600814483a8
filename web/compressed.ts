import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg)$/;

/** Writes each file also as `.br` and `.gz`, as small as possible, so that the service need not compress them. */
export const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  generateBundle: {
    order: 'post',
    async handler(_options, bundle) {
      const files = Object.values(bundle).filter(({ fileName }) => COMPRESSIBLE.test(fileName));
      await Promise.all(
        files.map(async (file) => {
          const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          const brotli = { [constants.BROTLI_PARAM_SIZE_HINT]: source.length };
          const emit = (ending: string, smaller: Buffer) =>
            this.emitFile({ type: 'asset', fileName: `${file.fileName}.${ending}`, source: smaller });
          emit('br', await promisify(brotliCompress)(source, { params: brotli }));
          emit('gz', await promisify(gzip)(source, { level: 9 }));
        }),
      );
    },
  },
};

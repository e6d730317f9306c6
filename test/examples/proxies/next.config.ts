export default {
  async rewrites() {
    return [
      { source: '/api/:path*', destination: 'http://localhost:3000/api/:path*' },
      { source: '/images/:path*', destination: 'http://localhost:3000/images/:path*' },
    ];
  },
};
